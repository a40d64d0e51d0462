import { pullMs } from "../limits/boot-time.ts";
import type { Limits } from "../limits/lifetime.ts";
import type { Offer } from "../service/schemas/offer.ts";
import { actualCost, type Billed } from "./cost.ts";
import { knownBytesUsd } from "./estimate.ts";
import { formatPrice } from "./format-price.ts";
import type { OfferPrice } from "./price.ts";

const HOUR_MS = 3_600_000;
/** A machine that can't get so far in the time that can be paid is not worth renting: boot, runner, and this much work. */
const LEAST_WORK_MS = 300_000;
/** A boot that takes longer than this is a bad one, whatever it is allowed to take. */
const USUAL_BOOT_MS = 600_000;
/** So much of that is for the image. */
const USUAL_PULL_MS = 420_000;
/** From its deadline until it is really gone: the machine looks every 15 s, and its own destruction takes some more. */
const ENDING_MS = 60_000;
/** Stages are seen late by some seconds; what was spent must not be thought less than it was. */
const SEEN_LATE_MS = 20_000;

/** What an offer must fit into. `left` and `maxCost` in USD. */
export interface OfferBudget {
  maxCost: number;
  left: number;
  /** The shortest time for which a machine is worth renting. */
  leastMs: number;
  imageBytes: number | undefined;
}

type BytePrice = Pick<Offer, "inet_down_cost" | "inet_down">;

/** What a big image takes on a slow line beyond the usual boot. */
function moreToPull(offer: BytePrice, { imageBytes }: OfferBudget): number {
  return imageBytes === undefined ? 0 : Math.max(0, pullMs(imageBytes, offer) - USUAL_PULL_MS);
}

/** What the shortest sensible use of an offer costs, in USD, with the bytes that are known. */
export function leastCost(price: OfferPrice, offer: BytePrice, budget: OfferBudget): number {
  const leastMs = budget.leastMs + moreToPull(offer, budget) + ENDING_MS;
  return (price.total * leastMs) / HOUR_MS + bytesUsd(offer, budget);
}

/** The price in USD per hour up to which the shortest sensible use can be paid; its bytes are not in it. */
export function highestPrice(budget: OfferBudget): number {
  return (Math.max(0, budget.left) / (budget.leastMs + ENDING_MS)) * HOUR_MS;
}

/** How long a machine can be paid with what is left, in milliseconds; its end is paid, too. */
export function affordableMs(price: OfferPrice, offer: BytePrice, budget: OfferBudget): number {
  if (price.total <= 0) return Number.POSITIVE_INFINITY;
  const left = Math.max(0, budget.left - bytesUsd(offer, budget));
  return Math.max(0, (left / price.total) * HOUR_MS - ENDING_MS);
}

function bytesUsd({ inet_down_cost }: BytePrice, { imageBytes }: OfferBudget): number {
  return knownBytesUsd(inet_down_cost, imageBytes) ?? 0;
}

/** What the inputs and the account say of money. USD. */
export interface Money {
  /** For the whole use. */
  maxCost?: number | undefined;
  /** Of the account, before anything was rented; undefined: not known. */
  credit?: number | undefined;
  /** Of the image, as it is pulled; undefined: not known. */
  imageBytes?: number | undefined;
}

/** Keeps count of the money of a whole use: all its machines, those that failed included. */
export class Budget<Machine extends Billed = Billed> {
  readonly #money: Money;
  readonly #leastMs: number;
  readonly #reports: Machine[] = [];

  constructor(money: Money, limits: Pick<Limits, "bootMs" | "onlineMs">) {
    this.#money = money;
    this.#leastMs = Math.min(limits.bootMs, USUAL_BOOT_MS) + limits.onlineMs + LEAST_WORK_MS;
  }

  /** Counts a machine, now and later: its report tells what it costs. */
  add(report: Machine): void {
    this.#reports.push(report);
  }

  /** Every machine that was counted, in order. */
  get reports(): readonly Machine[] {
    return this.#reports;
  }

  /** Of the image, where it is known. */
  get imageBytes(): number | undefined {
    return this.#money.imageBytes;
  }

  /** What was spent until now, in USD; rather too much than too little. */
  spent(now: number): number {
    const late = (report: Billed) => (report.price.total * SEEN_LATE_MS) / HOUR_MS;
    return this.#reports.reduce((sum, report) => sum + actualCost(report, now).total + late(report), 0);
  }

  /** True once anything was rented. */
  get hasSpent(): boolean {
    return this.#reports.length > 0;
  }

  /** What an offer must fit into now; undefined without `max-cost`. */
  forOffers(now: number): OfferBudget | undefined {
    const { maxCost, imageBytes } = this.#money;
    if (maxCost === undefined) return undefined;
    return { maxCost, left: maxCost - this.spent(now), leastMs: this.#leastMs, imageBytes };
  }

  /** A warning when the account may run dry before the deadline; `most` in USD. */
  creditWarning(most: number, now: number): string | undefined {
    const { credit } = this.#money;
    if (credit === undefined) return undefined;
    const left = credit - this.spent(now);
    if (left >= most) return undefined;
    return `The service's account has about ${formatPrice(Math.max(0, left))} of credit, and this machine may cost ${formatPrice(most)} until its deadline. Without credit the service stops it.`;
  }
}
