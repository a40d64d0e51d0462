import { z } from "zod";
import { COMMON_ROUTES, type ControlRoute } from "../../http/control.ts";
import { destruction, type InstanceRecord } from "../rentals/instance-record.ts";
import { phaseAt } from "../rentals/lifecycle.ts";
import type { ServiceWorld } from "../service-world.ts";

const Change = z.union([
  z.enum(["outbid", "destroyed"]),
  z.strictObject({ actual_status: z.string().nullable(), status_msg: z.string().nullable().optional() }),
]);

/** What people and scripts see and do behind the service's back. */
export const CONTROL_ROUTES: readonly ControlRoute<ServiceWorld>[] = [
  ...COMMON_ROUTES,
  {
    at: "GET /_control/books",
    run({ books: { total, billingNow, volumesNow, bills } }) {
      return { total: total(), billingNow: billingNow(), volumesNow: volumesNow(), bills: bills() };
    },
  },
  {
    at: "GET /_control/instances",
    run: ({ rentals, clock }) => rentals.records.map((record) => describe(record, clock.now())),
  },
  {
    // By hand: `"outbid"`, `"destroyed"`, or a status to show.
    at: "POST /_control/instances/:id",
    run({ rentals }, json, id) {
      const change = Change.parse(json);
      if (!rentals.find(id)) return undefined;
      rentals.update(id, change);
      return { changed: id };
    },
  },
];

function describe(record: InstanceRecord, now: number) {
  const { id, label, offer, order } = record;
  const end = destruction(record);
  return {
    id,
    label,
    offer_id: offer.id,
    env_names: Object.keys(order.env),
    actual_status: end ? "destroyed" : (phaseAt(record, now)?.actual_status ?? null),
    destroyed: end ? { at: new Date(end.at).toISOString(), by: end.by } : null,
  };
}
