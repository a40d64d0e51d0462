import { z } from "zod";
import { type Fault, isLacking } from "../../scenario/fault.ts";
import { countUse } from "../account/template-book.ts";
import { type GoneForm, goneOffer, type Stall } from "../catalog/market.ts";
import {
  checkVolume,
  type InstanceOrder,
  type InstanceRecord,
  missingInstance,
  volumeFor,
} from "../rentals/instance-record.ts";
import { phases } from "../rentals/lifecycle.ts";
import type { Rentals } from "../rentals/rentals.ts";
import { type CreateRequest, readCreateBody } from "../requests/create-body.ts";
import { pageOf, readPageQuery, repeatedPage } from "../requests/instance-page.ts";
import { instanceRow, seedInstance } from "../rows.ts";
import type { Call, Operation, ServiceWorld } from "../service-world.ts";
import { findFault } from "../traffic/fault-book.ts";
import { type Dialect, notInTheSeed, Refusal } from "../traffic/refusal.ts";
import type { ServiceAnswer } from "../traffic/service-journal.ts";

const ChangeBidBody = z.strictObject({ client_id: z.literal("me").nullish(), price: z.number().min(0.001).max(128) });

/** `PUT /api/v0/instances/bid_price/{instance_id}/`: not in the seed. GPUs bill it from now on. */
export const changeBid: Operation = ({ id, body }, { dialect, rentals }) => {
  notInTheSeed(dialect);
  const given = ChangeBidBody.safeParse(body).data;
  if (!given) throw new Refusal(400, { error: "invalid_args", msg: "price must be from 0.001 to 128 USD per hour" });
  const record = rentals.find(id);
  if (!record) throw missingInstance(id, dialect);
  // SPEC-SILENT: the answer for an instance that is not interruptible, and a bid below the floor.
  if (record.bids.length === 0) throw new Refusal(400, { error: "invalid_args", msg: "not an interruptible instance" });
  if (given.price < record.offer.min_bid) {
    throw new Refusal(400, { error: "invalid_args", msg: "error 400/3731: the bid is below the minimum." });
  }
  rentals.bid(record, given.price);
  return { status: 200, body: { success: true } };
};

const ChangeBody = z.strictObject({ state: z.enum(["running", "stopped"]).optional(), label: z.string().optional() });

/** `PUT /api/v0/instances/{instance_id}/`: stop, start or (observed only) another label; both in one, too. */
export const changeInstance: Operation = (call, { rentals, dialect }) => {
  const { state, label } = readChange(call, dialect);
  const record = rentals.find(call.id);
  if (!record) throw missingInstance(call.id, dialect);
  if (label !== undefined) record.label = label;
  if (state === "running") return start(call, record, rentals);
  if (state === "stopped") rentals.stop(record, call.caller.kind === "instance" ? "instance" : "account");
  return { status: 200, body: { success: true } };
};

function start({ faults }: Call, record: InstanceRecord, rentals: Rentals): ServiceAnswer {
  const queued = findFault(faults, "start-queued");
  if (!queued) {
    rentals.start(record);
    return { status: 200, body: { success: true } };
  }
  rentals.startLater(record, queued.seconds);
  const msg = "Required resources are currently unavailable, state change queued.";
  return { status: 200, body: { success: false, error: "resources_unavailable", msg } };
}

function readChange({ body }: Call, dialect: Dialect) {
  // SPEC-SILENT: the seed shows only `stopped`; an instance key can start it, so by `running`.
  const { state, label } = ChangeBody.safeParse(body).data ?? {};
  // The seed shows no change of the label.
  if ((state ?? label) === undefined || (dialect === "seed" && label !== undefined)) {
    throw new Refusal(400, { error: "invalid_args", msg: "state must be stopped or running" });
  }
  if (label !== undefined && label.length > 1024) {
    throw new Refusal(400, { error: "label_too_long", msg: "label may have 1024 characters" });
  }
  return { state, label };
}

const ChangeInstancesBody = z.strictObject({ ids: z.array(z.int()).min(1), state: z.enum(["running", "stopped"]) });

/**
 * `PUT /api/v0/instances/`: not in the seed. Stops or starts several. SPEC-SILENT: an unknown one
 * leaves all as they are.
 */
export const changeInstances: Operation = ({ body }, { dialect, rentals }) => {
  notInTheSeed(dialect);
  const given = ChangeInstancesBody.safeParse(body).data;
  if (!given) throw new Refusal(400, { error: "invalid_args", msg: "ids and a state, stopped or running, are needed" });
  const records = given.ids.map((id) => {
    const record = rentals.find(id);
    if (!record) throw missingInstance(id, dialect);
    return record;
  });
  for (const record of records) given.state === "running" ? rentals.start(record) : rentals.stop(record, "account");
  return { status: 200, body: { success: true } };
};

/** `PUT /api/v0/asks/{offer_id}/` */
export const createInstance: Operation = (call, world) => {
  const request = readCreateBody(call.body, world.dialect, world.templates);
  const stall = world.market.find(call.id);
  refuseByFault(call, request, world);
  if (!stall) throw goneOffer(call.id, "404", world.dialect);
  refuseWithoutCredit(call, world);
  const unavailable = isUnavailable(stall, request, world);
  refuseMisfit(stall, request.order);
  refuseVmWithoutKey(request.order, world);
  checkVolume(request.order, stall.offer, world.volumes);
  const order: InstanceOrder = unavailable ? { ...request.order, targetState: "stopped" } : request.order;
  return findFault(call.faults, "error-with-contract") || isLowBid(stall, order)
    ? createStoppedWithError(call, { stall, order }, world)
    : createAsAsked(call, { stall, order }, world);
};

interface Deal {
  stall: Stall;
  order: InstanceOrder;
}

function createAsAsked({ faults }: Call, { stall, order }: Deal, world: ServiceWorld): ServiceAnswer {
  const { clock, rentals, volumes } = world;
  const lagSeconds = findFault(faults, "visibility-lag")?.seconds;
  const record = rentals.create(stall, order, { lagSeconds, volume: volumeFor(order, volumes) });
  const twin = findFault(faults, "twin");
  if (twin) rentals.create(stall, order, { lagSeconds: twin.seconds, isTwin: true });
  if (order.template) countUse(order.template, clock.now() / 1000);
  return { status: 200, body: { success: true, new_contract: record.id, instance_api_key: record.apiKey } };
}

/** A bid that is too low was seen to bring an error, and yet a stopped instance. */
function createStoppedWithError(
  { faults, id }: Call,
  { stall, order }: Deal,
  { rentals, dialect, volumes }: ServiceWorld,
): ServiceAnswer {
  const fault = findFault(faults, "error-with-contract");
  const refusal = { error: "invalid_price", msg: `error 400/3731: the bid for ${id} is below the minimum.` };
  // SPEC-SILENT: a bid that is too low; in the seed's dialect nothing is created.
  if (dialect === "seed" && !fault) throw new Refusal(400, refusal);
  const lagSeconds = findFault(faults, "visibility-lag")?.seconds;
  const made = { lagSeconds, volume: volumeFor(order, volumes) };
  const record = rentals.create(stall, { ...order, targetState: "stopped" }, made);
  return new Refusal(fault?.status ?? 400, { ...refusal, extra: { new_contract: record.id, ask_id: id } }).answer;
}

function refuseByFault({ faults, id }: Call, { order }: CreateRequest, { dialect }: ServiceWorld): void {
  const gone = findFault(faults, "offer-gone");
  if (gone) throw goneOffer(id, gone.form ?? "404", dialect);
  if (findFault(faults, "untagged-image") && !/[:@][^/]+$/.test(order.image)) {
    throw new Refusal(500, { error: "server_error", msg: "Something went wrong on the server" });
  }
}

function refuseWithoutCredit({ faults }: Call, { user, books }: ServiceWorld): void {
  if (!findFault(faults, "no-credit") && user.credit - books.total() > 0) return;
  const msg = "Your account lacks credit; see the billing page.";
  throw new Refusal(400, { error: "insufficient_credit", msg });
}

/** True: the machine can't be had now, and a stopped instance will do; if it won't, throws. */
function isUnavailable({ offer, simulate }: Stall, { cancelUnavail }: CreateRequest, world: ServiceWorld): boolean {
  const form: GoneForm = cancelUnavail ? "410" : "404";
  const { takenTwiceWithin: within } = simulate;
  const isTakenTwice = within !== undefined && world.rentals.isFresh(offer.id, within);
  // An offer makes one instance only, whatever the caller would take.
  if (world.rentals.holds(offer.id) && !isTakenTwice) throw goneOffer(offer.id, form, world.dialect);
  if (offer.rentable && !simulate.unavailable) return false;
  // Seed, Create rule 2 of Errors: the call fails; only how fast depends on cancel_unavail.
  if (cancelUnavail || world.dialect === "seed") throw goneOffer(offer.id, form, world.dialect);
  return true;
}

/** SPEC-SILENT: a disk larger than the offer has room for is refused. */
function refuseMisfit({ offer }: Stall, { disk }: InstanceOrder): void {
  if (disk <= offer.disk_space) return;
  throw new Refusal(400, { error: "invalid_args", msg: `disk ${disk} GB exceeds ${offer.disk_space} GB of the offer` });
}

/**
 * Seed, Create rule 10: none could be reached without a key. SPEC-SILENT: in the seed, whether the
 * call fails; we let it.
 */
function refuseVmWithoutKey({ vm }: InstanceOrder, { dialect, sshKeys }: ServiceWorld): void {
  if (!vm || dialect === "seed" || sshKeys.shown !== null) return;
  throw new Refusal(400, { error: "no_ssh_key_for_vm", msg: "Register an SSH key before creating a VM." });
}

function isLowBid({ offer }: Stall, { price }: InstanceOrder): boolean {
  return price !== null && price < offer.min_bid;
}

/** `DELETE /api/v0/instances/{instance_id}/` */
export const destroyInstance: Operation = ({ id, body, caller }, { rentals, dialect }) => {
  // The official client sends `{}`, the seed says no body.
  if (Object.keys(body).length > 0) throw new Refusal(400, { error: "invalid_args", msg: "destroy takes no body" });
  const record = rentals.find(id);
  if (!record) throw missingInstance(id, dialect);
  rentals.destroy(record, caller.kind === "instance" ? "instance" : "account");
  return { status: 200, body: { success: true } };
};

const DestroyInstancesBody = z.strictObject({ instance_ids: z.array(z.int()).min(1) });

/** `DELETE /api/v0/instances/`: not in the seed. SPEC-SILENT: an unknown one leaves all alive. */
export const destroyInstances: Operation = ({ body }, { dialect, rentals }) => {
  notInTheSeed(dialect);
  const given = DestroyInstancesBody.safeParse(body).data;
  if (!given) throw new Refusal(400, { error: "invalid_args", msg: "instance_ids are needed" });
  const records = given.instance_ids.map((id) => {
    const record = rentals.find(id);
    if (!record) throw missingInstance(id, dialect);
    return record;
  });
  for (const record of records) rentals.destroy(record, "account");
  return { status: 200, body: { success: true } };
};

/** `GET /api/v0/instances/{instance_id}/` */
export const getInstance: Operation = ({ id }, { rentals, clock, dialect }) => {
  const record = rentals.shown().find((each) => each.id === id);
  if (dialect === "observed") {
    // Gone is no error: the service answers 200 with null.
    return { status: 200, body: { instances: record ? instanceRow(record, clock.now()) : null } };
  }
  if (!record) throw missingInstance(id, dialect);
  return { status: 200, body: { instances: seedInstance(record, clock.now()) } };
};

/** `GET /log-files/{id}`: the page of a `result_url`. No part of the interface: takes no key. */
export const getLogFile: Operation = ({ id, query, caller }, { logFiles }) => {
  // As the real store: an address with its own proof, and a header with another, are refused.
  if (caller.kind !== "anonymous")
    throw new Refusal(400, { error: "InvalidArgument", msg: "Only one proof is allowed." });
  const text = logFiles.read(id, query.get("signature"));
  // SPEC-SILENT: the store's word on a file not there yet. Clients wait on all but 200.
  if (text === undefined) throw new Refusal(404, { error: "NoSuchKey", msg: "There is no such file." });
  return { status: 200, text };
};

/** `GET /api/v0/instances/filters/`: not in the seed. What the list can be narrowed by. */
export const listInstanceFilters: Operation = (_call, { dialect, rentals, clock }) => {
  notInTheSeed(dialect);
  const filters = rentals.shown().map((record) => {
    const { actual_status, verification, gpu_name } = instanceRow(record, clock.now());
    return { actual_status, verification, gpu_name };
  });
  return { status: 200, body: { filters } };
};

/** `GET /api/v0/instances/`, and as observed `GET /api/v1/instances/` in pages. */
export const listInstances: Operation = ({ paged, query, faults }, { rentals, clock, dialect }) => {
  const at = clock.now() - 1000 * (findFault(faults, "stale-list")?.seconds ?? 0);
  const records = rentals.shown(at);
  const short = findFault(faults, "short-list");
  const shown = short ? records.filter((_, index) => !isLacking(short.lacks, index)) : records;
  const counted = short?.total === "all" ? records : shown;
  if (!paged) {
    refuseDeprecated(faults);
    const show = dialect === "seed" ? seedInstance : instanceRow;
    const instances = shown.map((record) => show(record, at));
    return { status: 200, body: { instances_found: counted.length, instances } };
  }
  // Seed, Versioning: every path carries the prefix /api/v0/.
  if (dialect === "seed") throw new Refusal(404, { error: "not_found", msg: "There is no such path." });
  const asked = readPageQuery(query);
  const rowsOf = (some: readonly InstanceRecord[]) => some.map((record) => instanceRow(record, at));
  const page = findFault(faults, "repeat-page") ? repeatedPage : pageOf;
  const { total_instances } = pageOf(rowsOf(counted), asked);
  return { status: 200, body: { ...page(rowsOf(shown), asked), total_instances } };
};

/** Observed: rolled out since 2026-06, so that a client can meet it any day. */
function refuseDeprecated(faults: readonly Fault[]): void {
  if (!findFault(faults, "deprecated")) return;
  // SPEC-SILENT: the sentence.
  const msg = "GET /api/v0/instances/ is deprecated; use GET /api/v1/instances/ instead.";
  throw new Refusal(410, { error: "deprecated_endpoint", msg });
}

/** `PUT /api/v0/instances/reboot/{instance_id}/`: not in the seed. Restarts; GPUs and disk stay. */
export const rebootInstance: Operation = ({ id }, { dialect, rentals }) => {
  notInTheSeed(dialect);
  const record = rentals.find(id);
  if (!record) throw missingInstance(id, dialect);
  rentals.reboot(record);
  return { status: 200, body: { success: true } };
};

/**
 * `PUT /api/v0/instances/recycle/{instance_id}/`: not in the seed. Boots anew from the image, but
 * keeps the simulated disk.
 */
export const recycleInstance: Operation = ({ id }, { dialect, rentals }) => {
  notInTheSeed(dialect);
  const record = rentals.find(id);
  if (!record) throw missingInstance(id, dialect);
  rentals.reboot(record);
  return { status: 200, body: { success: true } };
};

const RequestLogsBody = z.strictObject({
  // SPEC-SILENT: how many lines without it; as many as the official client asks for otherwise.
  tail: z.string().regex(/^\d+$/).default("1000"),
  filter: z.string().optional(),
  daemon_logs: z.literal("true").optional(),
});

/** `PUT /api/v0/instances/request_logs/{instance_id}/`: not in the specification. */
export const requestLogs: Operation = ({ id, body }, { rentals, clock, dialect, logFiles, containerLog }) => {
  if (dialect === "seed") throw new Refusal(404, { error: "not_found", msg: "There is no such path." });
  const wanted = RequestLogsBody.safeParse(body).data;
  if (!wanted) throw new Refusal(400, { error: "invalid_args", msg: "tail must be a number in a text" });
  const record = rentals.find(id);
  if (!record) throw new Refusal(404, { error: "invalid_id", msg: `There is no instance ${id}.` });
  const whole = wanted.daemon_logs ? daemonLog(record, clock.now()) : containerLog(id);
  const result_url = logFiles.add(lastLines(whole, Number(wanted.tail), wanted.filter));
  return { status: 200, body: { success: true, result_url, msg: "Logs were requested." } };
};

/** The host's word on the container: each status of the boot with its message. */
function daemonLog(record: InstanceRecord, now: number): string {
  return phases(record)
    .filter(({ from, status_msg }) => from <= now && status_msg !== null)
    .map(({ from, actual_status, status_msg }) => `${new Date(from).toISOString()} ${actual_status}: ${status_msg}`)
    .join("\n");
}

function lastLines(text: string, tail: number, filter = ""): string {
  const lines = text.split("\n").filter((line) => line.trim() !== "" && line.includes(filter));
  return tail === 0 ? "" : lines.slice(-tail).join("\n");
}
