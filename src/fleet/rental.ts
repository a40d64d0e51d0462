import type { MachineRecord, MachineTerms } from "../create/machine-record.ts";
import type { Candidate } from "../market/ranking.ts";
import type { Price } from "../marketplace/marketplace.ts";
import { expectedBootMs, expectedBytes, type ImageFacts, lateToRunMs, type Speed } from "../money/boot.ts";
import { affordableMs, endingCost, leastCost, type Money, type OfferBudget } from "../money/budget.ts";
import { actualCost, type Billed, type Estimate, estimateCost, knownBytesUsd } from "../money/cost.ts";
import {
  type Deadline,
  deadlineOf,
  type Limits,
  longestToReadyMs,
  machineLimits,
  sensibleJobMs,
} from "../money/limits.ts";
import { formatAbout, formatPrice } from "../money/price.ts";
import { formatDuration } from "../shared/duration.ts";
import type { RentalTerms } from "./options.ts";
import type { Timing } from "./state.ts";

/** When a planned machine ends, and what it may cost until then. */
export interface PlannedRental extends Deadline {
  price: MachineRecord["price"];
  estimate: Estimate;
}

/** Plans a machine that would be created now. `left`: what max-cost leaves for it. */
export function planRental(
  now: number,
  limits: Limits,
  { price }: Candidate,
  left: OfferBudget | undefined,
  imageBytes: number | undefined,
): PlannedRental {
  const end = deadlineOf(now, limits, left && affordableMs(price, left));
  const estimate = estimateCost({ price, from: now, deadline: end.deadline, imageBytes });
  return { ...end, price, estimate };
}

/** Returns the terms of a machine made of this offer. */
export function termsOf({ offer }: Candidate, { deadline, estimate, price }: PlannedRental): MachineTerms {
  const { gpuName, id, machineId, numGpus } = offer;
  return { offer: { id, machineId, gpuName, numGpus }, price, deadline, estimate };
}

/** Returns how long this machine may take. */
export function timingOf({ image, limits, setupMs }: RentalTerms, { expected, offer }: Candidate): Timing {
  const expectedMs = expected?.bootMs ?? expectedBootMs(image, offer);
  const { bootMs, onlineMs } = machineLimits(limits, image.decidesBoot, expectedMs);
  const lateMs = lateToRunMs(expectedMs, expected?.standing ?? "none");
  const mayWait = image.decidesBoot;
  return { expectedMs, lateMs, bootMs: Math.min(bootMs, limits.readyMs), onlineMs, setupMs, mayWait };
}

/** Returns the limits for a machine's deadline, which allows for the longest wait until it is ready. */
export function deadlineLimits(limits: Limits, { bootMs, mayWait }: Timing): Limits {
  const own = { ...limits, bootMs };
  return mayWait ? { ...own, bootMs: longestToReadyMs(own) - own.onlineMs } : own;
}

/** How late stages may be seen. What was spent must not be thought less than it was. */
const SEEN_LATE_MS = 20_000;
const HOUR_MS = 3_600_000;

/** What the money of a session is spent by: its limits, its image, and the shortest time worth paying for. */
interface Spending {
  image: ImageFacts;
  leastMs: number;
  money: Money;
}

/** A machine as it is billed, with what it was rented for. */
interface Rented extends Billed {
  at: Billed["at"] & { asked: number };
  deadline?: number | undefined;
  estimate?: Estimate | undefined;
  isGone?: boolean | undefined;
}

/** An offer and what it costs. */
interface Priced {
  offer: Speed;
  price: Price;
}

/** Returns what max-cost leaves: all of it, less what was spent and what alive machines may cost until their ends. */
export function budgetLeft(terms: Spending, records: readonly Rented[], now: number): OfferBudget | undefined {
  const { image, leastMs, money } = terms;
  if (money.maxCost === undefined) return undefined;
  const left = money.maxCost - usedBy(terms, records, now);
  return { maxCost: money.maxCost, left, leastMs, imageBytes: expectedBytes(image) };
}

function usedBy({ image }: Spending, records: readonly Rented[], now: number): number {
  const used = (record: Rented) => {
    const { bytes, total } = actualCost(record, now);
    const unseen = bytes === undefined ? expectedBytesUsd(record, image) : 0;
    const spent = total + unseen + (record.price.total * SEEN_LATE_MS) / HOUR_MS;
    return record.isGone ? spent : Math.max(spent, setAside(record, image, now));
  };
  return records.reduce((sum, record) => sum + used(record), 0);
}

/** Returns what a machine may cost until its deadline, with the traffic that is expected or already billed. */
function setAside(record: Rented, image: ImageFacts, now: number): number {
  const { at, deadline = 0, estimate, price } = record;
  if (estimate === undefined) return 0;
  const expected = expectedBytesUsd(record, image);
  // The service may ask more now than when it was estimated.
  const machine = Math.max(estimate.machine, (price.total * (deadline - at.asked)) / HOUR_MS);
  return machine + endingCost(price) + Math.max(expected, actualCost(record, now).bytes ?? 0);
}

function expectedBytesUsd({ price }: Rented, image: ImageFacts): number {
  return knownBytesUsd(price.inetDown, expectedBytes(image)) ?? 0;
}

/** True if what is left pays the shortest sensible time of an offer. */
export function isPayable(left: OfferBudget | undefined, { offer, price }: Priced): boolean {
  return left === undefined || leastCost(price, offer, left) <= left.left;
}

/** Returns one machine's part of what is left. As many machines as can be paid get equal parts. */
export function shareOf(
  left: OfferBudget | undefined,
  { offer, price }: Priced,
  lacking: number,
): OfferBudget | undefined {
  if (left === undefined) return undefined;
  const payable = Math.floor(left.left / Math.max(leastCost(price, offer, left), 1e-9));
  return { ...left, left: left.left / Math.max(1, Math.min(lacking, payable)) };
}

/** Warns if the account may run dry before the deadline. `most` is in USD. */
export function creditWarning(
  terms: Spending,
  records: readonly Rented[],
  most: number,
  now: number,
): string | undefined {
  const { credit } = terms.money;
  if (credit === undefined) return undefined;
  const left = credit - usedBy(terms, records, now);
  if (left >= most) return undefined;
  const has = left > 0 ? formatAbout(left) : formatPrice(0);
  return `The service's account has ${has} of credit, and this machine may cost ${formatPrice(most)} until its deadline. Without credit the service stops it.`;
}

/** Says how max-cost cuts a machine's time, what is left of it, and what part this machine gets. */
export function describeCut({ left, maxCost }: OfferBudget, share: OfferBudget): string {
  const cut = `Its time is cut: ${formatPrice(left)} of max-cost (${formatPrice(maxCost)}) are left`;
  return share.left < left ? `${cut}, and ${formatPrice(share.left)} of that are for this machine.` : `${cut}.`;
}

/**
 * Warns if a part of max-cost leaves a machine too little for its job. What all of max-cost leaves
 * is checked with the inputs. `leftMs`: from its boot to its deadline.
 */
export function shareWarning(share: OfferBudget, leftMs: number, jobMs: number | undefined): string | undefined {
  if (share.left >= share.maxCost || leftMs >= sensibleJobMs(jobMs)) return undefined;
  return `${formatPrice(share.left)} of max-cost (${formatPrice(share.maxCost)}) pay this machine for about ${formatDuration(roundedMs(leftMs))} after its boot. A GPU job that takes longer loses its machine. Raise max-cost, or lower machines.`;
}

function roundedMs(ms: number): number {
  return Math.round(ms / 60_000) * 60_000;
}
