import type { Dialect } from "../traffic/dialect.ts";
import { Refusal } from "../traffic/refusal.ts";

/** The 404 for an instance that does not exist (any more). */
export function missingInstance(id: number, dialect: Dialect): Refusal {
  // SPEC-SILENT: the seed shows no answer for an unknown instance.
  if (dialect === "seed") return new Refusal(404, { error: "not_found", msg: `There is no instance ${id}.` });
  return new Refusal(404, {
    error: "no_such_instance",
    msg: `error 404/1240: no_such_instance Instance ${id} not found.`,
  });
}
