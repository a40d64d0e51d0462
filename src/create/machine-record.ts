import { z } from "zod";
import type { Instance, Price } from "../marketplace/marketplace.ts";
import type { Estimate } from "../money/cost.ts";
import { jobFiguresSchema, usagePeaksSchema } from "./gpu-figures.ts";

const maybe = z.number().optional();

/** When a machine reached each stage, in milliseconds since the epoch. */
const stageTimesSchema = z.object({
  /** When the search that led to it began. */
  searched: maybe,
  /** When its runner was registered. The configuration does not keep for long. */
  registered: maybe,
  asked: z.number(),
  created: maybe,
  running: maybe,
  online: maybe,
  /** When it was first seen to be gone, or its destruction was confirmed. */
  gone: maybe,
});

/** A job that a machine ran. `conclusion` and `seconds` are undefined while it runs. */
const ranJobSchema = z.object({
  name: z.string(),
  conclusion: z.string().optional(),
  seconds: maybe,
  /** By GitHub, in milliseconds since the epoch. */
  started: maybe,
  /** What its log says of the GPUs; undefined: not reported. */
  figures: jobFiguresSchema.optional(),
});

const estimateSchema: z.ZodType<Estimate> = z.object({
  minutes: z.number(),
  machine: z.number(),
  bytes: z.object({ imageGb: maybe, runnerGb: z.number(), usd: maybe }),
  most: z.number(),
  holder: z.object({ usdPerMinute: z.number(), usd: z.number() }),
});

const priceSchema: z.ZodType<Price> = z.object({
  total: z.number(),
  storage: z.number(),
  inetDown: maybe,
  inetUp: maybe,
  bid: maybe,
});

/** What a machine did and costs, as main writes it down and post reads it. */
export const machineRecordSchema = z.object({
  instanceId: z.number(),
  offer: z.object({ id: z.number(), machineId: maybe, gpuName: z.string(), numGpus: z.number() }),
  price: priceSchema,
  at: stageTimesSchema,
  /** True if it is confirmed that the instance is gone: `at.gone` alone may be one list's mistake. */
  isGone: z.boolean().optional(),
  /** True if the marketplace's list showed the instance once. */
  isListed: z.boolean().optional(),
  /** The traffic that was billed, in GB, as the service last showed it. */
  traffic: z.object({ downGb: z.number(), upGb: z.number() }).optional(),
  /** The peaks of use that the marketplace's list showed. */
  usage: usagePeaksSchema.optional(),
  /** The jobs that GitHub showed on it, in order; undefined: none. */
  jobs: z.array(ranJobSchema).optional(),
  /** True if the machine was given up because no job needed it. */
  isUnneeded: z.boolean().optional(),
  /** When the machine gives itself back at the latest, in milliseconds since the epoch. */
  deadline: maybe,
  /** The estimate of the machine's cost, made before it was rented. */
  estimate: estimateSchema.optional(),
  /** The state seen last, in words; once the machine is gone, why. */
  last: z.string(),
});

export type StageTimes = z.infer<typeof stageTimesSchema>;
export type RanJob = z.infer<typeof ranJobSchema>;
export type MachineRecord = z.infer<typeof machineRecordSchema>;

/** The part of a record that is settled before the machine is rented. */
export type Terms = Pick<MachineRecord, "offer" | "price" | "deadline" | "estimate">;

/** Traffic is written down when it grew by this much, in GB. */
const WORTH_NOTING_GB = 0.05;

/** Prices that differ by a smaller factor are the same price, rounded in another way. */
const SAME_PRICE = 1.01;

/**
 * Notes what the service shows of a machine's bill: since when the instance exists, its price and
 * its traffic. Returns whether the record changed.
 */
export function noteFigures(report: MachineRecord, instance: Instance): boolean {
  const isOlder = noteCreation(report, instance);
  const hasRisen = notePrice(report, instance);
  return noteTraffic(report, instance) || hasRisen || isOlder;
}

/** True for a price that is higher than another one by more than rounding explains. */
export function isDearer(price: number, than: number): boolean {
  return price > than * SAME_PRICE;
}

/**
 * Notes the price at which an instance is charged: the offer's may have changed by the time of the
 * create. SPEC-SILENT: whether that price includes what the offer's does not, such as a volume.
 */
function notePrice(report: MachineRecord, { usdPerHour }: Instance): boolean {
  if (usdPerHour === undefined || !isDearer(usdPerHour, report.price.total)) return false;
  report.price = { ...report.price, total: usdPerHour };
  return true;
}

/**
 * Notes the marketplace's moment of creation if it lies between our request and its answer. Any
 * other moment is of a clock that differs from ours, or means something else.
 */
function noteCreation({ at }: MachineRecord, { startedAt: start = Number.NaN }: Instance): boolean {
  if (!(start >= at.asked && start < (at.created ?? start))) return false;
  at.created = start;
  return true;
}

function noteTraffic(report: MachineRecord, { traffic }: Instance): boolean {
  const grown = grownTraffic(report.traffic, traffic);
  if (grown !== undefined) report.traffic = grown;
  return grown !== undefined;
}

/**
 * Returns the traffic that is billed by now if it grew enough to be written down. Traffic only
 * grows: a smaller figure is not believed.
 */
export function grownTraffic(
  before: MachineRecord["traffic"],
  shown: Instance["traffic"],
): NonNullable<MachineRecord["traffic"]> | undefined {
  if (shown?.downGb === undefined && shown?.upGb === undefined) return undefined;
  const downGb = Math.max(before?.downGb ?? 0, shown.downGb ?? 0);
  const upGb = Math.max(before?.upGb ?? 0, shown.upGb ?? 0);
  const growth = downGb + upGb - (before ? before.downGb + before.upGb : 0);
  return before !== undefined && growth < WORTH_NOTING_GB ? undefined : { downGb, upGb };
}

/** How often a machine looks at the clock to see whether its deadline has come. */
const TICK_MS = 15_000;

/** Estimates when an instance went that a look found to be gone: before that look, and soon after its deadline. */
export function unseenEnd(
  { deadline = Number.POSITIVE_INFINITY }: Pick<MachineRecord, "deadline">,
  seenGone: number,
): number {
  return Math.min(seenGone, deadline + TICK_MS);
}
