import { missingSshKey } from "../../requests/ssh-key-body.ts";
import type { Operation } from "../../service-world.ts";
import { notInTheSeed } from "../../traffic/not-in-the-seed.ts";

/** `DELETE /api/v0/ssh/{id}/`: not in the seed. */
export const deleteSshKey: Operation = ({ id }, { dialect, sshKeys }) => {
  notInTheSeed(dialect);
  if (!sshKeys.find(id)) throw missingSshKey();
  sshKeys.remove(id);
  return { status: 200, body: { success: true } };
};
