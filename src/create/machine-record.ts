import { z } from "zod";
import type { Instance, Price } from "../marketplace/marketplace.ts";
import type { Estimate } from "../money/cost.ts";
import { jobFiguresSchema, usagePeaksSchema } from "./gpu-figures.ts";

const maybe = z.number().optional();

/** When a machine reached each stage, in milliseconds since the epoch. */
const stageTimesSchema = z.object({
  /** When the search that led to it began. */
  searched: maybe,
  /** When its single-use runner configuration was made, which does not keep for long. */
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
  /** What its log told of the GPUs; undefined: not reported. */
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

/** A machine's doings and costs, as main writes them down and post reads them. */
export const machineRecordSchema = z.object({
  instanceId: z.number(),
  offer: z.object({ id: z.number(), machineId: maybe, gpuName: z.string(), numGpus: z.number() }),
  price: priceSchema,
  at: stageTimesSchema,
  /** That there is none (any more) was confirmed: `at.gone` alone may be one list's mistake. */
  isGone: z.boolean().optional(),
  /** The marketplace's list showed it once. */
  isListed: z.boolean().optional(),
  /** Bytes that were billed, as the service last showed, in GB. */
  traffic: z.object({ downGb: z.number(), upGb: z.number() }).optional(),
  /** The most that the marketplace's list showed of its doings at a time. */
  usage: usagePeaksSchema.optional(),
  /** The jobs that GitHub showed on it, in order; undefined: none. */
  jobs: z.array(ranJobSchema).optional(),
  /** It was given up, as no job needed it. */
  isUnneeded: z.boolean().optional(),
  /** When it gives itself back at the latest, in milliseconds since the epoch. */
  deadline: maybe,
  /** The most that it was thought to cost, before it was rented. */
  estimate: estimateSchema.optional(),
  /** The last state seen, in words; once it is gone, why. */
  last: z.string(),
});

export type StageTimes = z.infer<typeof stageTimesSchema>;
export type RanJob = z.infer<typeof ranJobSchema>;
export type MachineRecord = z.infer<typeof machineRecordSchema>;

/** The part of a report that is settled before its machine is rented. */
export type Terms = Pick<MachineRecord, "offer" | "price" | "deadline" | "estimate">;

/** Growth below this is not worth writing down. */
const WORTH_NOTING_GB = 0.05;

/** Prices that differ by less are the same, rounded in another way. */
const SAME_PRICE = 1.01;

/**
 * Takes over what the service shows of a machine's bill: since when it exists, its price and its
 * bytes. True when the report changed.
 */
export function noteFigures(report: MachineRecord, instance: Instance): boolean {
  const isOlder = noteCreation(report, instance);
  const hasRisen = notePrice(report, instance);
  return noteTraffic(report, instance) || hasRisen || isOlder;
}

/** True for a price that is more than another one, by more than how it is rounded. */
export function isDearer(price: number, than: number): boolean {
  return price > than * SAME_PRICE;
}

/**
 * It is charged at this price; its offer's may have changed by the time of the create.
 * SPEC-SILENT: whether the price has anything in it that the offer's has not, such as a volume.
 */
function notePrice(report: MachineRecord, { usdPerHour }: Instance): boolean {
  if (usdPerHour === undefined || !isDearer(usdPerHour, report.price.total)) return false;
  report.price = { ...report.price, total: usdPerHour };
  return true;
}

/**
 * Takes the marketplace's moment of creation, if it lies between our request and its answer: else
 * its clock and ours differ, or it means something else.
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
 * Brings the bytes that are billed by now, if they grew by what is worth writing down. They are
 * cumulative: a smaller figure is not believed.
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

/** A machine looks at the clock every 15 s. */
const TICK_MS = 15_000;

/** When an instance went that was found to be gone: before that look, and soon after its deadline at the latest. */
export function unseenEnd(
  { deadline = Number.POSITIVE_INFINITY }: Pick<MachineRecord, "deadline">,
  seenGone: number,
): number {
  return Math.min(seenGone, deadline + TICK_MS);
}
