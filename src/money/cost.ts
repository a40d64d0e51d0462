import { z } from "zod";
import type { Price } from "../marketplace/marketplace.ts";
import { formatDuration, HOUR_MS } from "../shared/duration.ts";
import { GB } from "../timing/boot.ts";
import { formatPrice, HOSTED_RUNNER_USD_PER_MINUTE } from "./price.ts";

const MINUTE_MS = 60_000;
/** The download of the runner program, in GB. */
export const RUNNER_GB = 0.2;

/** A machine's highest cost, before it is rented. USD, minutes, GB. */
export const estimateSchema = z.object({
  /** From its creation to its deadline. */
  minutes: z.number(),
  /** GPU and storage for all these minutes, as if the machine ran from the first. */
  machine: z.number(),
  /** What downloading image and runner costs, as far as the image's size and a price are known. */
  bytes: z.object({ imageGb: z.number().optional(), runnerGb: z.number(), usd: z.number().optional() }),
  /** Machine and traffic. */
  most: z.number(),
  /** The job that holds it, for the same minutes: billed in private repositories only. */
  holder: z.object({ usdPerMinute: z.number(), usd: z.number() }),
});

export type Estimate = z.infer<typeof estimateSchema>;

/** The facts behind an estimate. Times in milliseconds since the epoch. */
interface Estimating {
  price: Price;
  from: number;
  deadline: number;
  /** Compressed, as it is pulled; undefined: not known. */
  imageBytes: number | undefined;
}

/** Estimates the cost of a machine that is used until its deadline, without what the job itself downloads. */
export function estimateCost({ price, from, deadline, imageBytes }: Estimating): Estimate {
  const lifeMs = Math.max(0, deadline - from);
  const { minutes, ...holder } = holderCost(lifeMs);
  const machine = (price.total * lifeMs) / HOUR_MS;
  const usd = knownBytesUsd(price.inetDown, imageBytes);
  const bytes = { imageGb: imageBytes === undefined ? undefined : imageBytes / GB, runnerGb: RUNNER_GB, usd };
  return { minutes, machine, bytes, most: machine + (usd ?? 0), holder };
}

/** Computes what the hosted runner of the job that rents costs. GitHub rounds each job up to whole minutes. */
export function holderCost(ms: number): { minutes: number; usdPerMinute: number; usd: number } {
  const minutes = Math.ceil(Math.max(0, ms) / MINUTE_MS);
  return { minutes, usdPerMinute: HOSTED_RUNNER_USD_PER_MINUTE, usd: minutes * HOSTED_RUNNER_USD_PER_MINUTE };
}

/** Computes what downloading image and runner costs in USD; undefined without a price. An unknown size is 0. */
export function knownBytesUsd(inetDown: number | undefined, imageBytes: number | undefined): number | undefined {
  return inetDown === undefined ? undefined : inetDown * (RUNNER_GB + (imageBytes ?? 0) / GB);
}

/** Describes an estimate in sentences, for the log. */
export function describeEstimate(estimate: Estimate, price: Price): [machine: string[], hosted: string] {
  const { minutes, most, holder } = estimate;
  const gpu = Math.max(0, price.total - price.storage);
  return [
    [
      `Price: ${formatPrice(price.total)} per hour (GPU ${formatPrice(gpu)}, storage ${formatPrice(price.storage)}). ${describeBytes(estimate, price)}`,
      `It may cost ${formatPrice(most)} at most, if it is used until its deadline in ${formatDuration(minutes * MINUTE_MS)}. What the job loads comes on top.`,
    ],
    `The job that rents costs nothing in a public repository, and ${formatPrice(holder.usd)} at most in a private one (${holder.usdPerMinute} USD per minute on a Linux runner of 2 cores).`,
  ];
}

function describeBytes({ bytes }: Estimate, { inetDown }: Price): string {
  const { imageGb, runnerGb, usd } = bytes;
  if (usd === undefined || inetDown === undefined) return "Traffic is not counted: the offer has no price for them.";
  const runner = `${runnerGb} GB of runner program`;
  const what =
    imageGb === undefined
      ? `${runner}; that of the image is not counted, its size is not known`
      : `${imageGb.toFixed(1)} GB of image and ${runner}`;
  return `Traffic: ${formatPrice(usd)} at ${formatPrice(inetDown)} per GB (${what}).`;
}

/** A machine's cost in USD. `bytes` is for traffic; undefined if that is not known. */
export interface Cost {
  gpu: number;
  storage: number;
  bytes: number | undefined;
  total: number;
}

/** The facts behind one machine's bill. Times in milliseconds since the epoch. */
export interface Billed {
  price: Price;
  at: { created?: number | undefined; running?: number | undefined; gone?: number | undefined };
  /** Traffic that was billed, as the service last showed, in GB. */
  traffic?: { downGb: number; upGb: number } | undefined;
  /** The downloads that were known before it was rented. */
  estimate?: { bytes: Pick<Estimate["bytes"], "imageGb" | "runnerGb"> } | undefined;
}

/** Computes a machine's cost until it was gone, else until `end`: storage from its creation, the GPU while it ran. */
export function actualCost(machine: Billed, end: number): Cost {
  const { at, price } = machine;
  const until = at.gone ?? end;
  const hours = (from: number | undefined) => (from === undefined ? 0 : Math.max(0, until - from) / HOUR_MS);
  const gpu = Math.max(0, price.total - price.storage) * hours(at.running);
  const storage = price.storage * hours(at.created);
  const bytes = bytesCost(machine);
  return { gpu, storage, bytes, total: gpu + storage + (bytes ?? 0) };
}

/**
 * Computes the cost of traffic. The service's figures come late or never, so the known downloads are the least.
 * Undefined if neither they nor the image's size are known.
 */
function bytesCost(machine: Billed): number | undefined {
  const { price, traffic } = machine;
  const known = knownGb(machine);
  const isPriced = price.inetDown !== undefined || price.inetUp !== undefined;
  const isImageKnown = machine.estimate?.bytes.imageGb !== undefined && known > 0;
  if (!isPriced || (traffic === undefined && !isImageKnown)) return undefined;
  const { downGb, upGb } = traffic ?? { downGb: 0, upGb: 0 };
  return Math.max(downGb, known) * (price.inetDown ?? 0) + upGb * (price.inetUp ?? 0);
}

function knownGb({ at, estimate }: Billed): number {
  if (estimate === undefined || at.created === undefined) return 0;
  const { imageGb = 0, runnerGb } = estimate.bytes;
  return imageGb + (at.running === undefined ? 0 : runnerGb);
}

/** Adds up `actualCost` of several machines. */
export function totalCost(machines: readonly Billed[], end: number): Cost {
  const costs = machines.map((machine) => actualCost(machine, end));
  const sum = (part: keyof Cost) => costs.reduce((total, cost) => total + (cost[part] ?? 0), 0);
  const bytes = costs.some((cost) => cost.bytes !== undefined) ? sum("bytes") : undefined;
  return { gpu: sum("gpu"), storage: sum("storage"), bytes, total: sum("total") };
}
