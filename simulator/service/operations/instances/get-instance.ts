import { missingInstance } from "../../rentals/missing-instance.ts";
import { instanceRow, seedInstance } from "../../rows/instance-row.ts";
import type { Operation } from "../../service-world.ts";

/** `GET /api/v0/instances/{instance_id}/` */
export const getInstance: Operation = ({ id }, { rentals, clock, dialect }) => {
  const record = rentals.shown().find((each) => each.id === id);
  if (dialect === "observed") {
    // Gone is no error: the service answers 200 with null.
    return { status: 200, body: { instances: record ? instanceRow(record, clock.now()) : null } };
  }
  if (!record) throw missingInstance(id, dialect);
  return { status: 200, body: { instances: seedInstance(record, clock.now()) } };
};
