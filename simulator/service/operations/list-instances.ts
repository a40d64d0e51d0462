import { pageOf, readPageQuery } from "../instance-page.ts";
import { instanceRow, seedInstance } from "../instance-row.ts";
import { Refusal } from "../refusal.ts";
import type { Operation } from "../service-world.ts";

/** `GET /api/v0/instances/`, and as observed `GET /api/v1/instances/` in pages. */
export const listInstances: Operation = ({ paged, query }, { rentals, clock, dialect }) => {
  const records = rentals.shown();
  if (!paged) {
    const show = dialect === "seed" ? seedInstance : instanceRow;
    const instances = records.map((record) => show(record, clock.now()));
    return { status: 200, body: { instances_found: instances.length, instances } };
  }
  // Seed, Versioning: every path carries the prefix /api/v0/.
  if (dialect === "seed") throw new Refusal(404, { error: "not_found", msg: "There is no such path." });
  const rows = records.map((record) => instanceRow(record, clock.now()));
  return { status: 200, body: pageOf(rows, readPageQuery(query)) };
};
