import { readSshKey } from "../../requests/ssh-key-body.ts";
import { madeSshKey } from "../../rows/ssh-key-row.ts";
import type { Operation } from "../../service-world.ts";
import { notInTheSeed } from "../../traffic/not-in-the-seed.ts";

/** `POST /api/v0/ssh/`: not in the seed. */
export const createSshKey: Operation = ({ body }, { dialect, sshKeys }) => {
  notInTheSeed(dialect);
  return { status: 200, body: { success: true, key: madeSshKey(sshKeys.add(readSshKey(body))) } };
};
