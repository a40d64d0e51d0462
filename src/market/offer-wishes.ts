import type { OfferBudget } from "../money/budget.ts";
import type { FieldFilter } from "../vast/schemas/offer-query.ts";
import type { Knowledge } from "./expectation.ts";

/** The order of offers that fit: a job's cost, cheapest by the hour, or the highest first. */
export type OfferOrder = "auto" | "price" | "score" | "dlperf_per_dphtotal";

/** The inputs' demands on an offer. A number of 0 and an empty list ask nothing. */
export interface OfferWishes {
  /** Any of them; empty: any GPU. */
  gpuNames: readonly string[];
  numGpus: number;
  /** USD per hour, storage included. */
  maxPrice: number;
  /** 0 to 1. */
  minReliability: number;
  diskGb: number;
  durationSeconds: number;
  /** Of each GPU, as its maker names it: 24 for a card that reports 23.99. */
  minGpuRamGb: number;
  /** Such as 8.9. */
  minComputeCap: number;
  /** The newest CUDA version that the host's driver must be good for, such as 12.8. */
  minCuda: number;
  /** Cores and memory: the offer's share of its machine. */
  minCpuCores: number;
  minCpuRamGb: number;
  minInetDownMbps: number;
  /** Country codes of two capital letters; any of them. */
  countries: readonly string[];
  needsDatacenter: boolean;
  /** In the service's own form; it replaces what the others ask of the same field. */
  filter: Readonly<Record<string, FieldFilter>>;
  excludedMachines: readonly number[];
  order: OfferOrder;
  /** Interruptible machines; `price`: USD per hour for the GPUs, else just above the lowest. */
  bid?: { price: number | undefined } | undefined;
  /** The only machine that will do: a volume is on it. */
  machine?: number | undefined;
  /** The bound for the whole use; undefined: none. */
  budget?: OfferBudget | undefined;
  /** The base of `order: auto` and of expectations; without it `auto` is `price`. */
  knowledge?: Knowledge | undefined;
}

/** A filter in words that are the service's: `gte 500`. */
export function describeFilter(filter: FieldFilter): string {
  return Object.entries(filter)
    .map(([operator, value]) => `${operator} ${Array.isArray(value) ? value.join("|") : String(value)}`)
    .join(" and ");
}

/** A CUDA version as people write it: 13 is 13.0. */
export function formatCuda(version: number): string {
  return Number.isInteger(version) ? version.toFixed(1) : String(version);
}
