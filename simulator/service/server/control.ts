import { z } from "zod";
import { findRow } from "../../http/match-path.ts";
import { Fault } from "../../scenario/fault.ts";
import { destruction, type InstanceRecord } from "../rentals/instance-record.ts";
import { phaseAt } from "../rentals/lifecycle.ts";
import { ok, type ServiceWorld } from "../service-world.ts";
import type { ServiceAnswer } from "../traffic/service-journal.ts";

/** No part of the service: people and scripts look behind it under this, without a key. */
export const CONTROL_PREFIX = "/_control/";

/** A request of the control. */
interface Asked {
  /** The body of a POST. */
  readonly json: unknown;
  readonly world: ServiceWorld;
  readonly id: number;
}

const Change = z.union([
  z.enum(["outbid", "destroyed"]),
  z.strictObject({ actual_status: z.string().nullable(), status_msg: z.string().nullable().optional() }),
]);

const ROWS: readonly { at: string; run: (asked: Asked) => ServiceAnswer }[] = [
  { at: "GET /_control/books", run: ({ world }) => ok(readBooks(world)) },
  { at: "GET /_control/journal", run: ({ world }) => ok(world.journal.entries) },
  {
    at: "GET /_control/instances",
    run: ({ world: { rentals, clock } }) => ok(rentals.records.map((record) => describe(record, clock.now()))),
  },
  {
    at: "POST /_control/faults",
    run: ({ json, world }) =>
      checked(z.array(Fault), json, (faults) => {
        world.faults.set(faults);
        return ok({ faults: faults.length });
      }),
  },
  {
    // By hand: `"outbid"`, `"destroyed"`, or a status to show.
    at: "POST /_control/instances/:id",
    run: ({ json, id, world: { rentals } }) =>
      checked(Change, json, (change) => {
        if (!rentals.find(id)) return { status: 404, body: { error: `There is no instance ${id}.` } };
        rentals.update(id, change);
        return ok({ changed: id });
      }),
  },
];

/** Answers a request of the control. */
export function answerControl(method: string, pathname: string, asked: Omit<Asked, "id">): ServiceAnswer {
  const found = findRow(ROWS, { method, path: pathname.replace(/\/$/, "") });
  if (found) return found.row.run({ ...asked, id: Number(found.params.id) });
  return { status: 404, body: { error: "There is books, journal, instances (GET), faults and instances/ID (POST)." } };
}

function checked<Shape extends z.ZodType>(shape: Shape, json: unknown, use: (data: z.output<Shape>) => ServiceAnswer) {
  const given = shape.safeParse(json);
  return given.success ? use(given.data) : { status: 400, body: { error: z.prettifyError(given.error) } };
}

function readBooks({ books }: ServiceWorld) {
  return { total: books.total(), billingNow: books.billingNow(), volumesNow: books.volumesNow(), bills: books.bills() };
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
