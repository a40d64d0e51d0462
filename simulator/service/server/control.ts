import { z } from "zod";
import { Fault } from "../../scenario/fault.ts";
import { destruction, type InstanceRecord } from "../rentals/instance-record.ts";
import { phaseAt } from "../rentals/lifecycle.ts";
import type { ServiceWorld } from "../service-world.ts";
import type { ServiceAnswer } from "../traffic/service-journal.ts";

/** No part of the service: people and scripts look behind it under this, without a key. */
export const CONTROL_PREFIX = "/_control/";

/** Answers a request of the control; `json` is the body of a POST. */
export function answerControl(
  method: string,
  pathname: string,
  { json, world }: { json: unknown; world: ServiceWorld },
): ServiceAnswer {
  const path = pathname.replace(/\/$/, "");
  const instance = /^\/_control\/instances\/(\d+)$/.exec(path)?.[1];
  if (method === "POST" && instance !== undefined) return changeInstance(Number(instance), json, world);
  switch (`${method} ${path}`) {
    case "GET /_control/books":
      return { status: 200, body: readBooks(world) };
    case "GET /_control/journal":
      return { status: 200, body: world.journal.entries };
    case "GET /_control/instances":
      return { status: 200, body: world.rentals.records.map((record) => describe(record, world.clock.now())) };
    case "POST /_control/faults":
      return setFaults(json, world);
    default:
      return {
        status: 404,
        body: { error: "There is books, journal, instances (GET), faults and instances/ID (POST)." },
      };
  }
}

function readBooks({ books }: ServiceWorld) {
  return { total: books.total(), billingNow: books.billingNow(), volumesNow: books.volumesNow(), bills: books.bills() };
}

const Change = z.union([
  z.enum(["outbid", "destroyed"]),
  z.strictObject({ actual_status: z.string().nullable(), status_msg: z.string().nullable().optional() }),
]);

/** Acts on an instance by hand: `"outbid"`, `"destroyed"`, or a status to show. */
function changeInstance(id: number, json: unknown, { rentals }: ServiceWorld): ServiceAnswer {
  const given = Change.safeParse(json);
  if (!given.success) return { status: 400, body: { error: z.prettifyError(given.error) } };
  if (!rentals.find(id)) return { status: 404, body: { error: `There is no instance ${id}.` } };
  rentals.update(id, given.data);
  return { status: 200, body: { changed: id } };
}

function setFaults(json: unknown, { faults }: ServiceWorld): ServiceAnswer {
  const given = z.array(Fault).safeParse(json);
  if (!given.success) return { status: 400, body: { error: z.prettifyError(given.error) } };
  faults.set(given.data);
  return { status: 200, body: { faults: given.data.length } };
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
