import { notInTheSeed } from "../not-in-the-seed.ts";
import type { Operation } from "../service-world.ts";
import { readSshKey } from "../ssh-key-body.ts";

/** `POST /api/v0/ssh/`: not in the seed. */
export const createSshKey: Operation = ({ body }, { dialect, sshKeys }) => {
  notInTheSeed(dialect);
  const { id, key } = sshKeys.add(readSshKey(body));
  return { status: 200, body: { success: true, key: { id, user_id: 50_210, public_key: key } } };
};
