import { z } from "zod";
import type { Answer } from "../../http/deliver.ts";
import { findRow } from "../../http/match-path.ts";
import { Fault } from "../../scenario/fault.ts";
import { destruction, type InstanceRecord } from "../rentals/instance-record.ts";
import { phaseAt } from "../rentals/lifecycle.ts";
import { ok, type ServiceWorld } from "../service-world.ts";

/** No part of the service: people and scripts look behind it under this, without a key. */
export const CONTROL_PREFIX = "/_control/";

const Change = z.union([
  z.enum(["outbid", "destroyed"]),
  z.strictObject({ actual_status: z.string().nullable(), status_msg: z.string().nullable().optional() }),
]);

/** `json`: the body of a POST. */
type Row = { at: string; run: (world: ServiceWorld, json: unknown, id: number) => Answer };

const ROWS: readonly Row[] = [
  { at: "GET /_control/books", run: ({ books }) => ok(booksShown(books)) },
  { at: "GET /_control/journal", run: ({ journal }) => ok(journal.entries) },
  {
    at: "GET /_control/instances",
    run: ({ rentals, clock }) => ok(rentals.records.map((record) => describe(record, clock.now()))),
  },
  {
    at: "POST /_control/faults",
    run(world, json) {
      const faults = z.array(Fault).parse(json);
      world.faults.set(faults);
      return ok({ faults: faults.length });
    },
  },
  {
    // By hand: `"outbid"`, `"destroyed"`, or a status to show.
    at: "POST /_control/instances/:id",
    run({ rentals }, json, id) {
      const change = Change.parse(json);
      if (!rentals.find(id)) return { status: 404, body: { error: `There is no instance ${id}.` } };
      rentals.update(id, change);
      return ok({ changed: id });
    },
  },
];

/** Answers a request of the control. */
export function answerControl(world: ServiceWorld, asked: { method: string; path: string }, json: unknown): Answer {
  const found = findRow(ROWS, { ...asked, path: asked.path.replace(/\/$/, "") });
  if (!found)
    return {
      status: 404,
      body: { error: "There is books, journal, instances (GET), faults and instances/ID (POST)." },
    };
  try {
    return found.row.run(world, json, Number(found.params.id));
  } catch (fault) {
    if (!(fault instanceof z.ZodError)) throw fault;
    return { status: 400, body: { error: z.prettifyError(fault) } };
  }
}

function booksShown({ total, billingNow, volumesNow, bills }: ServiceWorld["books"]) {
  return { total: total(), billingNow: billingNow(), volumesNow: volumesNow(), bills: bills() };
}

function describe(record: InstanceRecord, now: number) {
  const { id, label, offer, order, createdAt, behind } = record;
  const end = destruction(record);
  return {
    id,
    label,
    offer_id: offer.id,
    machine_id: offer.machine_id,
    gpu_name: offer.gpu_name,
    image: order.image,
    ...(behind !== undefined && { behind }),
    env_names: Object.keys(order.env),
    actual_status: end ? "destroyed" : (phaseAt(record, now)?.actual_status ?? null),
    created: new Date(createdAt).toISOString(),
    destroyed: end ? { at: new Date(end.at).toISOString(), by: end.by } : null,
  };
}
