import type { Price } from "../marketplace/marketplace.ts";
import { HOUR_MS } from "../shared/duration.ts";
import { pullMs, type Speed } from "../timing/boot.ts";
import type { Limits } from "../timing/limits.ts";
import { knownBytesUsd } from "./cost.ts";
import type { Month } from "./month.ts";

/** How long a machine must at least work after its start to be worth renting; less if `max-lifetime` is shorter. */
const LEAST_WORK_MS = 300_000;
/** The longest boot to reckon with: a longer one is a bad one, whatever `boot-timeout` allows. */
const USUAL_BOOT_MS = 600_000;
/** The image's part of that. */
const USUAL_PULL_MS = 420_000;
/** From deadline to gone: the machine looks every 15 s, and its destruction takes some more. */
const ENDING_MS = 60_000;

/** What max-cost leaves for an offer. `left` and `maxCost` in USD. */
export interface OfferBudget {
  maxCost: number;
  left: number;
  /** The shortest time for which a machine is worth renting. */
  leastMs: number;
  /** As the registry says, or as expected. */
  imageBytes: number | undefined;
}

/** Computes what the shortest sensible use of an offer costs in USD, with the traffic that is known. */
export function leastCost(price: Price, offer: Speed, budget: OfferBudget): number {
  const pull = budget.imageBytes === undefined ? 0 : pullMs(budget.imageBytes, offer);
  const leastMs = budget.leastMs + Math.max(0, pull - USUAL_PULL_MS) + ENDING_MS;
  return (price.total * leastMs) / HOUR_MS + bytesUsd(price, budget);
}

/** Computes the highest price per hour at which the budget pays the shortest sensible use, without traffic. */
export function highestPrice(budget: OfferBudget): number {
  return (Math.max(0, budget.left) / (budget.leastMs + ENDING_MS)) * HOUR_MS;
}

/** Computes for how long the budget pays a machine, its destruction included, in milliseconds. */
export function affordableMs(price: Price, budget: OfferBudget): number {
  if (price.total <= 0) return Number.POSITIVE_INFINITY;
  const left = Math.max(0, budget.left - bytesUsd(price, budget));
  return Math.max(0, (left / price.total) * HOUR_MS - ENDING_MS);
}

/** Computes what a machine costs from its deadline until it is gone, in USD. */
export function endingCost({ total }: Pick<Price, "total">): number {
  return (total * ENDING_MS) / HOUR_MS;
}

function bytesUsd({ inetDown }: Price, { imageBytes }: OfferBudget): number {
  return knownBytesUsd(inetDown, imageBytes) ?? 0;
}

/** The limits on money, in USD. */
export interface Money {
  /** For the whole session. */
  maxCost?: number | undefined;
  /** Set if what this workflow spent in 30 days makes it less than the input says. */
  month?: Month | undefined;
  /** Of the account, before anything was rented; undefined: not known. */
  credit?: number | undefined;
}

/** Computes the shortest time that is worth renting for, in milliseconds: boot, runner and least work. */
export function leastMs({ bootMs, maxLifetime, onlineMs }: Omit<Limits, "readyMs">): number {
  return Math.min(bootMs, USUAL_BOOT_MS) + onlineMs + Math.min(LEAST_WORK_MS, maxLifetime);
}
