import type { Dialect } from "../traffic/dialect.ts";
import { Refusal } from "../traffic/refusal.ts";

/** The status of a create on an offer that is gone; all four were seen of the service. */
export type GoneForm = "404" | "410" | "400" | "200";

/** The refusal of a create because the offer is gone. */
export function goneOffer(id: number, form: GoneForm, dialect: Dialect): Refusal {
  if (dialect === "seed") {
    // SPEC-SILENT: status and body of this failure. We take the shape of the seed's other errors.
    return new Refusal(Number(form), { error: "not_found", msg: `Offer ${id} is no longer available.` });
  }
  if (form === "410") {
    const msg = `error 410/3907: no_such_ask Instance type ${id} is no longer available.`;
    return new Refusal(410, { error: "no_such_ask", msg, extra: { ask_id: id } });
  }
  const msg = `error ${form}/3603: no_such_ask Instance type by id ${id} is not available.`;
  return new Refusal(Number(form), { error: "invalid_args", msg, extra: { ask_id: id } });
}
