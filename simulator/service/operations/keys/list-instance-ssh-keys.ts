import { missingInstance } from "../../rentals/missing-instance.ts";
import type { Operation } from "../../service-world.ts";
import { notInTheSeed } from "../../traffic/not-in-the-seed.ts";

/** `GET /api/v0/instances/{instance_id}/ssh/`: not in the seed. Its keys, as JSON in a text. */
export const listInstanceSshKeys: Operation = ({ id }, { dialect, rentals }) => {
  notInTheSeed(dialect);
  const record = rentals.find(id);
  if (!record) throw missingInstance(id, dialect);
  // SPEC-SILENT: the fields; by the description's example, without a name.
  const keys = record.sshKeys.map(({ id: key_id, key }) => ({ id: key_id, public_key: key }));
  return { status: 200, body: { success: true, ssh_keys: JSON.stringify(keys) } };
};
