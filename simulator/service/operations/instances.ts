import { z } from "zod";
import { findFault } from "../../http/faults.ts";
import { type Fault, isLacking } from "../../scenario/fault.ts";
import { type GoneForm, goneOffer, type Stall } from "../catalog/market.ts";
import { checkVolume, volumeFor } from "../catalog/volumes.ts";
import { type InstanceRecord, missingInstance } from "../rentals/instance-record.ts";
import { phases } from "../rentals/lifecycle.ts";
import { type CreateRequest, type InstanceOrder, readCreateBody } from "../requests/create-body.ts";
import { pageOf, readPageQuery, repeatedPage } from "../requests/instance-page.ts";
import { readAs } from "../requests/request-body.ts";
import { shownInstance } from "../rows.ts";
import { type Call, done, type Operation, type Operations, ok, type ServiceWorld } from "../service-world.ts";
import { invalidArgs, type Refusal, refusal } from "../traffic/refusal.ts";

const createInstance: Operation = (call, world) => {
  const { id, faults } = call;
  const request = readCreateBody(call.body, world.dialect, world.templates);
  const stall = world.market.find(id);
  const gone = findFault(faults, "offer-gone");
  if (gone) throw goneOffer(id, gone.form ?? "404", world.dialect);
  if (!stall) throw goneOffer(id, "404", world.dialect);
  refuseWithoutCredit(call, world);
  const unavailable = isUnavailable(stall, request, world);
  const { order } = request;
  refuseMisfit(stall, order, world);
  checkVolume(order.volume_info, stall.offer.machine_id, world.volumes);
  const isLow = order.price !== null && order.price < stall.offer.min_bid;
  const hasError = isLow || findFault(faults, "error-with-contract") !== undefined;
  // SPEC-SILENT: a bid that is too low; in the seed's dialect nothing is created.
  if (isLow && world.dialect === "seed" && !findFault(faults, "error-with-contract")) throw lowBid(call);
  const made = {
    lagSeconds: findFault(faults, "visibility-lag")?.seconds,
    volume: volumeFor(order.volume_info, world.volumes),
  };
  const isStopped = unavailable || hasError;
  const record = world.rentals.create(stall, isStopped ? { ...order, target_state: "stopped" } : order, made);
  // A bid that is too low was seen to bring an error, and yet a stopped instance.
  if (hasError) return lowBid(call, { new_contract: record.id, ask_id: id }).answer;
  afterCreate(call, stall, order, world);
  return done({ new_contract: record.id, instance_api_key: record.apiKey });
};

function lowBid({ faults, id }: Call, more?: object): Refusal {
  const status = findFault(faults, "error-with-contract")?.status ?? 400;
  return refusal(status, "invalid_price", `error 400/3731: the bid for ${id} is below the minimum.`, more);
}

/** A twin, and what its template counts. */
function afterCreate({ faults }: Call, stall: Stall, order: InstanceOrder, { rentals, clock }: ServiceWorld): void {
  const twin = findFault(faults, "twin");
  if (twin) rentals.create(stall, order, { lagSeconds: twin.seconds, isTwin: true });
  if (!order.template) return;
  order.template.count_created += 1;
  order.template.recent_create_date = clock.now() / 1000;
}

function refuseWithoutCredit({ faults }: Call, { user, books }: ServiceWorld): void {
  if (!findFault(faults, "no-credit") && user.credit - books.total() > 0) return;
  throw refusal(400, "insufficient_credit", "Your account lacks credit; see the billing page.");
}

/** True: the machine can't be had now, and a stopped instance will do; if it won't, throws. */
function isUnavailable({ offer, simulate }: Stall, { cancelUnavail }: CreateRequest, world: ServiceWorld): boolean {
  const form: GoneForm = cancelUnavail ? "410" : "404";
  const { takenTwiceWithin: within } = simulate;
  const isTakenTwice = within !== undefined && world.rentals.holds(offer.id, within);
  // An offer makes one instance only, whatever the caller would take.
  if (world.rentals.holds(offer.id) && !isTakenTwice) throw goneOffer(offer.id, form, world.dialect);
  if (offer.rentable && !simulate.unavailable) return false;
  // Seed, Create rule 2 of Errors: the call fails; only how fast depends on cancel_unavail.
  if (cancelUnavail || world.dialect === "seed") throw goneOffer(offer.id, form, world.dialect);
  return true;
}

/**
 * SPEC-SILENT: a disk larger than the offer has room for is refused. Seed, Create rule 10: no virtual
 * machine could be reached without a key. SPEC-SILENT: in the seed, whether the call fails; we let it.
 */
function refuseMisfit({ offer }: Stall, { disk, vm }: InstanceOrder, { dialect, sshKeys }: ServiceWorld): void {
  if (disk > offer.disk_space) throw invalidArgs(`disk ${disk} GB exceeds ${offer.disk_space} GB of the offer`);
  if (vm && dialect !== "seed" && sshKeys.all.length === 0)
    throw refusal(400, "no_ssh_key_for_vm", "Register an SSH key before creating a VM.");
}

const ChangeBody = z.strictObject({ state: z.enum(["running", "stopped"]).optional(), label: z.string().optional() });

/**
 * Stops, starts or (observed only) labels it; both in one, too. SPEC-SILENT: the seed shows only
 * `stopped`; an instance key can start it, so by `running`.
 */
const changeInstance: Operation = (call, { rentals, dialect }) => {
  const { state, label } = ChangeBody.safeParse(call.body).data ?? {};
  // The seed shows no change of the label.
  if ((state ?? label) === undefined || (dialect === "seed" && label !== undefined))
    throw invalidArgs("state must be stopped or running");
  if (label !== undefined && label.length > 1024)
    throw refusal(400, "label_too_long", "label may have 1024 characters");
  const record = rentals.need(call.id);
  if (label !== undefined) record.label = label;
  if (state === "stopped") rentals.stop(record, actorOf(call));
  if (state === "running") rentals.start(record);
  return done();
};

function actorOf({ caller }: Call): "instance" | "account" {
  return caller.kind === "instance" ? "instance" : "account";
}

/** The official client sends `{}`, the seed says no body. */
const destroyInstance: Operation = (call, { rentals }) => {
  if (Object.keys(call.body).length > 0) throw invalidArgs("destroy takes no body");
  rentals.destroy(rentals.need(call.id), actorOf(call));
  return done();
};

/** Restarts it; GPUs and disk stay. A recycled one should boot anew from the image, but keeps the simulated disk. */
const rebootInstance: Operation = ({ id }, { rentals }) => {
  rentals.reboot(rentals.need(id));
  return done();
};

const ChangeBidBody = z.strictObject({ client_id: z.literal("me").nullish(), price: z.number().min(0.001).max(128) });

/** GPUs bill it from now on. */
const changeBid: Operation = ({ id, body }, { rentals }) => {
  const { price } = readAs(ChangeBidBody, body, "price must be from 0.001 to 128 USD per hour");
  const record = rentals.need(id);
  // SPEC-SILENT: the answer for an instance that is not interruptible, and a bid below the floor.
  if (record.bids.length === 0) throw invalidArgs("not an interruptible instance");
  if (price < record.offer.min_bid) throw invalidArgs("error 400/3731: the bid is below the minimum.");
  rentals.bid(record, price);
  return done();
};

/** As observed, gone is no error: the service answers 200 with null. */
const getInstance: Operation = ({ id }, { rentals, clock, dialect }) => {
  const record = rentals.shown().find((each) => each.id === id);
  if (!record && dialect === "seed") throw missingInstance(id, dialect);
  return ok({ instances: record ? shownInstance(record, clock.now(), dialect) : null });
};

/** What a list shows, when, and what its total counts. */
function listed(faults: readonly Fault[], { rentals, clock }: ServiceWorld) {
  const at = clock.now() - 1000 * (findFault(faults, "stale-list")?.seconds ?? 0);
  const records = rentals.shown(at);
  const short = findFault(faults, "short-list");
  const shown = short ? records.filter((_, index) => !isLacking(short.lacks, index)) : records;
  return { at, shown, counted: short?.total === "all" ? records : shown };
}

const listInstances: Operation = ({ faults }, world) => {
  const { at, shown, counted } = listed(faults, world);
  // Observed: rolled out since 2026-06, so that a client can meet it any day. SPEC-SILENT: the sentence.
  const msg = "GET /api/v0/instances/ is deprecated; use GET /api/v1/instances/ instead.";
  if (findFault(faults, "deprecated")) throw refusal(410, "deprecated_endpoint", msg);
  const instances = shown.map((record) => shownInstance(record, at, world.dialect));
  return ok({ instances_found: counted.length, instances });
};

/** Seed, Versioning: every path carries the prefix /api/v0/. */
const listInstancesInPages: Operation = ({ query, faults }, world) => {
  const { at, shown, counted } = listed(faults, world);
  const asked = readPageQuery(query);
  const rowsOf = (some: readonly InstanceRecord[]) => some.map((record) => shownInstance(record, at, "observed"));
  const page = findFault(faults, "repeat-page") ? repeatedPage : pageOf;
  const { total_instances } = pageOf(rowsOf(counted), asked);
  return ok({ ...page(rowsOf(shown), asked), total_instances });
};

const RequestLogsBody = z.strictObject({
  // SPEC-SILENT: how many lines without it; as many as the official client asks for otherwise.
  tail: z.string().regex(/^\d+$/).default("1000"),
  filter: z.string().optional(),
  daemon_logs: z.literal("true").optional(),
});

const requestLogs: Operation = ({ id, body }, { rentals, clock, logFiles, machines }) => {
  const wanted = readAs(RequestLogsBody, body, "tail must be a number in a text");
  const record = rentals.find(id);
  if (!record) throw refusal(404, "invalid_id", `There is no instance ${id}.`);
  const whole = wanted.daemon_logs ? daemonLog(record, clock.now()) : (machines?.containerLog?.(id) ?? "");
  const result_url = logFiles.add(lastLines(whole, Number(wanted.tail), wanted.filter));
  return done({ result_url, msg: "Logs were requested." });
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

/** The page of a `result_url`. No part of the interface: takes no key. */
const getLogFile: Operation = ({ id, query, caller }, { logFiles }) => {
  // As the real store: an address with its own proof, and a header with another, are refused.
  if (caller.kind !== "anonymous") throw refusal(400, "InvalidArgument", "Only one proof is allowed.");
  const text = logFiles.read(id, query.get("signature"));
  // SPEC-SILENT: the store's word on a file not there yet. Clients wait on all but 200.
  if (text === undefined) throw refusal(404, "NoSuchKey", "There is no such file.");
  return { status: 200, text };
};

/** An instance's life. */
export const INSTANCE_OPERATIONS: Operations = {
  both: {
    ...{ createInstance, getInstance, changeInstance, destroyInstance, getLogFile },
    listInstances: (call, world) => (call.isSecond ? listInstancesInPages : listInstances)(call, world),
  },
  observed: { rebootInstance, recycleInstance: rebootInstance, changeBid, requestLogs },
};
