import { instanceRow } from "../instance-row.ts";
import { notInTheSeed } from "../not-in-the-seed.ts";
import type { Operation } from "../service-world.ts";

/** `GET /api/v0/instances/filters/`: not in the seed. What the list can be narrowed by. */
export const listInstanceFilters: Operation = (_call, { dialect, rentals, clock }) => {
  notInTheSeed(dialect);
  const filters = rentals.shown().map((record) => {
    const { actual_status, verification, gpu_name } = instanceRow(record, clock.now());
    return { actual_status, verification, gpu_name };
  });
  return { status: 200, body: { filters } };
};
