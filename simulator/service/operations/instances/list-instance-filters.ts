import { instanceRow } from "../../rows/instance-row.ts";
import type { Operation } from "../../service-world.ts";
import { notInTheSeed } from "../../traffic/not-in-the-seed.ts";

/** `GET /api/v0/instances/filters/`: not in the seed. What the list can be narrowed by. */
export const listInstanceFilters: Operation = (_call, { dialect, rentals, clock }) => {
  notInTheSeed(dialect);
  const filters = rentals.shown().map((record) => {
    const { actual_status, verification, gpu_name } = instanceRow(record, clock.now());
    return { actual_status, verification, gpu_name };
  });
  return { status: 200, body: { filters } };
};
