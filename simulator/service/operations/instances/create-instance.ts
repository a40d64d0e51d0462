import { countUse } from "../../account/template-book.ts";
import { type GoneForm, goneOffer } from "../../catalog/gone-offer.ts";
import type { Stall } from "../../catalog/market.ts";
import type { InstanceOrder } from "../../rentals/instance-record.ts";
import { checkVolume, volumeFor } from "../../rentals/link-volume.ts";
import { type CreateRequest, readCreateBody } from "../../requests/create-body.ts";
import type { Call, Operation, ServiceWorld } from "../../service-world.ts";
import { findFault } from "../../traffic/find-fault.ts";
import { Refusal } from "../../traffic/refusal.ts";
import type { ServiceAnswer } from "../../traffic/service-answer.ts";

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
