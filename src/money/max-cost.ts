import type { Price } from "../marketplace/marketplace.ts";
import { formatDuration, HOUR_MS } from "../shared/duration.ts";
import { expectedBytes, type ImageFacts, type Speed } from "../timing/boot.ts";
import { sensibleJobMs } from "../timing/limits.ts";
import { endingCost, leastCost, type Money, type OfferBudget } from "./budget.ts";
import { actualCost, type Billed, knownBytesUsd } from "./cost.ts";
import { formatAbout, formatPrice } from "./price.ts";

/** How late stages may be seen. What was spent must not be thought less than it was. */
const SEEN_LATE_MS = 20_000;

/** What the money of a session is spent by: its limits, its image, and the shortest time worth paying for. */
interface Spending {
  image: ImageFacts;
  leastMs: number;
  money: Money;
}

/** A machine as it is billed, with what it was rented for. */
interface RentedMachine extends Billed {
  at: Billed["at"] & { asked: number };
  deadline?: number | undefined;
  isGone?: boolean | undefined;
}

type Priced = { offer: Speed; price: Price };

/** Returns what max-cost leaves: all of it, less what was spent and what alive machines may cost until their ends. */
export function budgetLeft(terms: Spending, records: readonly RentedMachine[], now: number): OfferBudget | undefined {
  const { image, leastMs, money } = terms;
  if (money.maxCost === undefined) return undefined;
  const left = money.maxCost - usedBy(terms, records, now);
  return { maxCost: money.maxCost, left, leastMs, imageBytes: expectedBytes(image) };
}

function usedBy({ image }: Spending, records: readonly RentedMachine[], now: number): number {
  const used = (record: RentedMachine) => {
    const { bytes, total } = actualCost(record, now);
    const unseen = bytes === undefined ? expectedBytesUsd(record, image) : 0;
    const spent = total + unseen + (record.price.total * SEEN_LATE_MS) / HOUR_MS;
    return record.isGone ? spent : Math.max(spent, setAside(record, image, now));
  };
  return records.reduce((sum, record) => sum + used(record), 0);
}

/** Returns what a machine may cost until its deadline, with the traffic that is expected or already billed. */
function setAside(record: RentedMachine, image: ImageFacts, now: number): number {
  const { at, deadline, price } = record;
  if (deadline === undefined) return 0;
  const expected = expectedBytesUsd(record, image);
  // The service may ask more now than when it was rented, and once its runner is online it ends earlier.
  const machine = (price.total * (deadline - at.asked)) / HOUR_MS;
  return machine + endingCost(price) + Math.max(expected, actualCost(record, now).bytes ?? 0);
}

function expectedBytesUsd({ price }: RentedMachine, image: ImageFacts): number {
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
  records: readonly RentedMachine[],
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

/** Warns if a part of max-cost leaves a machine too little for its job. `leftMs`: from its boot to its deadline. */
export function shareWarning(share: OfferBudget, leftMs: number, jobMs: number | undefined): string | undefined {
  if (share.left >= share.maxCost || leftMs >= sensibleJobMs(jobMs)) return undefined;
  const minutesMs = Math.round(leftMs / 60_000) * 60_000;
  return `${formatPrice(share.left)} of max-cost (${formatPrice(share.maxCost)}) pay this machine for about ${formatDuration(minutesMs)} after its boot. A GPU job that takes longer loses its machine. Raise max-cost, or lower machines.`;
}
