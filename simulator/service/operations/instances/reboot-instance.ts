import { missingInstance } from "../../rentals/missing-instance.ts";
import type { Operation } from "../../service-world.ts";
import { notInTheSeed } from "../../traffic/not-in-the-seed.ts";

/** `PUT /api/v0/instances/reboot/{instance_id}/`: not in the seed. Restarts; GPUs and disk stay. */
export const rebootInstance: Operation = ({ id }, { dialect, rentals }) => {
  notInTheSeed(dialect);
  const record = rentals.find(id);
  if (!record) throw missingInstance(id, dialect);
  rentals.reboot(record);
  return { status: 200, body: { success: true } };
};
