import { missingSshKey, readSshKey } from "../../requests/ssh-key-body.ts";
import { madeSshKey } from "../../rows/ssh-key-row.ts";
import type { Operation } from "../../service-world.ts";
import { notInTheSeed } from "../../traffic/not-in-the-seed.ts";

/** `PUT /api/v0/ssh/{id}/`: not in the seed. */
export const changeSshKey: Operation = ({ body, id }, { dialect, sshKeys }) => {
  notInTheSeed(dialect);
  const key = readSshKey(body);
  const found = sshKeys.find(id);
  if (!found) throw missingSshKey();
  found.key = key;
  return { status: 200, body: { success: true, key: madeSshKey(found) } };
};
