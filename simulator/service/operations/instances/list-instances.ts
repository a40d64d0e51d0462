import type { Fault } from "../../../scenario/fault.ts";
import { pageOf, readPageQuery, repeatedPage } from "../../requests/instance-page.ts";
import { instanceRow, seedInstance } from "../../rows/instance-row.ts";
import type { Operation } from "../../service-world.ts";
import { findFault } from "../../traffic/find-fault.ts";
import { Refusal } from "../../traffic/refusal.ts";

/** `GET /api/v0/instances/`, and as observed `GET /api/v1/instances/` in pages. */
export const listInstances: Operation = ({ paged, query, faults }, { rentals, clock, dialect }) => {
  const at = clock.now() - 1000 * (findFault(faults, "stale-list")?.seconds ?? 0);
  const records = rentals.shown(at);
  if (!paged) {
    refuseDeprecated(faults);
    const show = dialect === "seed" ? seedInstance : instanceRow;
    const instances = records.map((record) => show(record, at));
    return { status: 200, body: { instances_found: instances.length, instances } };
  }
  // Seed, Versioning: every path carries the prefix /api/v0/.
  if (dialect === "seed") throw new Refusal(404, { error: "not_found", msg: "There is no such path." });
  const rows = records.map((record) => instanceRow(record, at));
  const page = findFault(faults, "repeat-page") ? repeatedPage : pageOf;
  return { status: 200, body: page(rows, readPageQuery(query)) };
};

/** Observed: rolled out since 2026-06, so that a client can meet it any day. */
function refuseDeprecated(faults: readonly Fault[]): void {
  if (!findFault(faults, "deprecated")) return;
  // SPEC-SILENT: the sentence.
  const msg = "GET /api/v0/instances/ is deprecated; use GET /api/v1/instances/ instead.";
  throw new Refusal(410, { error: "deprecated_endpoint", msg });
}
