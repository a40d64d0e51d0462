import { readSshKey } from "../../requests/ssh-key-body.ts";
import type { Operation } from "../../service-world.ts";
import { notInTheSeed } from "../../traffic/not-in-the-seed.ts";

/** `POST /api/v0/ssh/`: not in the seed. */
export const createSshKey: Operation = ({ body }, { dialect, sshKeys }) => {
  notInTheSeed(dialect);
  const { id, key } = sshKeys.add(readSshKey(body));
  return { status: 200, body: { success: true, key: { id, user_id: 50_210, public_key: key } } };
};
