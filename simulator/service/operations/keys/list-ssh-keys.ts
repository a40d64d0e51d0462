import { listedSshKey } from "../../rows/ssh-key-row.ts";
import type { Operation } from "../../service-world.ts";
import { notInTheSeed } from "../../traffic/not-in-the-seed.ts";
import { Refusal } from "../../traffic/refusal.ts";

/** `GET /api/v0/ssh/`: not in the seed. An array; with no key at all a 404, as was seen. */
export const listSshKeys: Operation = (_call, { dialect, sshKeys }) => {
  notInTheSeed(dialect);
  const keys = sshKeys.all();
  if (keys.length === 0) throw new Refusal(404, { error: "not_found", msg: "No SSH keys found for the user." });
  return { status: 200, body: keys.map(listedSshKey) };
};
