import type { Offer, Price } from "../marketplace/marketplace.ts";
import { pullMs } from "./boot.ts";
import { knownBytesUsd } from "./cost.ts";
import type { Limits } from "./limits.ts";

const HOUR_MS = 3_600_000;
/** The least work, after boot and runner, that the money must last for; less where less may be. */
const LEAST_WORK_MS = 300_000;
/** A boot that takes longer than this is a bad one, whatever it is allowed to take. */
const USUAL_BOOT_MS = 600_000;
/** So much of that is for the image. */
const USUAL_PULL_MS = 420_000;
/** From deadline to gone: the machine looks every 15 s, and its destruction takes some more. */
const ENDING_MS = 60_000;

/** The limits for an offer. `left` and `maxCost` in USD. */
export interface OfferBudget {
  maxCost: number;
  left: number;
  /** The shortest time for which a machine is worth renting. */
  leastMs: number;
  /** As told, or as expected. */
  imageBytes: number | undefined;
}

type Speed = Pick<Offer, "inetDownMbps">;

/** Time for a big image on a slow line, beyond the usual boot. */
function moreToPull(offer: Speed, { imageBytes }: OfferBudget): number {
  return imageBytes === undefined ? 0 : Math.max(0, pullMs(imageBytes, offer) - USUAL_PULL_MS);
}

/** The cost of the shortest sensible use of an offer, in USD, known bytes included. */
export function leastCost(price: Price, offer: Speed, budget: OfferBudget): number {
  const leastMs = budget.leastMs + moreToPull(offer, budget) + ENDING_MS;
  return (price.total * leastMs) / HOUR_MS + bytesUsd(price, budget);
}

/** The most in USD per hour at which the shortest sensible use can be paid, without bytes. */
export function highestPrice(budget: OfferBudget): number {
  return (Math.max(0, budget.left) / (budget.leastMs + ENDING_MS)) * HOUR_MS;
}

/** How long a machine can be paid with what is left, in milliseconds; its end is paid, too. */
export function affordableMs(price: Price, budget: OfferBudget): number {
  if (price.total <= 0) return Number.POSITIVE_INFINITY;
  const left = Math.max(0, budget.left - bytesUsd(price, budget));
  return Math.max(0, (left / price.total) * HOUR_MS - ENDING_MS);
}

/** The cost of a machine's end, from its deadline to gone, in USD. */
export function endingCost({ total }: Pick<Price, "total">): number {
  return (total * ENDING_MS) / HOUR_MS;
}

function bytesUsd({ inetDown }: Price, { imageBytes }: OfferBudget): number {
  return knownBytesUsd(inetDown, imageBytes) ?? 0;
}

/** Money, by the inputs and the account. USD. */
export interface Money {
  /** For the whole use. */
  maxCost?: number | undefined;
  /** Of the account, before anything was rented; undefined: not known. */
  credit?: number | undefined;
}

/** The shortest time worth renting for, in milliseconds: boot, runner, and least work. */
export function leastMs({ bootMs, lifetimeMs, onlineMs }: Omit<Limits, "idleMs" | "readyMs">): number {
  return Math.min(bootMs, USUAL_BOOT_MS) + onlineMs + Math.min(LEAST_WORK_MS, lifetimeMs);
}
