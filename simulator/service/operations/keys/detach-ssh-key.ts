import { missingInstance } from "../../rentals/missing-instance.ts";
import type { Operation } from "../../service-world.ts";
import { notInTheSeed } from "../../traffic/not-in-the-seed.ts";
import { Refusal } from "../../traffic/refusal.ts";

/** `DELETE /api/v0/instances/{instance_id}/ssh/{ssh_key_id}/`: not in the seed. No more log-ins. */
export const detachSshKey: Operation = ({ id, innerId }, { dialect, rentals, machines }) => {
  notInTheSeed(dialect);
  const record = rentals.find(id);
  if (!record) throw missingInstance(id, dialect);
  const index = record.sshKeys.findIndex((each) => each.id === innerId);
  const [detached] = index < 0 ? [] : record.sshKeys.splice(index, 1);
  if (!detached) throw new Refusal(404, { error: "no_such_ssh_key", msg: `The instance has no SSH key ${innerId}.` });
  machines?.forbidSshKey?.(id, detached.key);
  return { status: 200, body: { success: true, msg: "SSH key removed from instance." } };
};
