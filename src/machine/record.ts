import { z } from "zod";
import { jobFiguresSchema, optionalNumber } from "../gpu-figures/read.ts";
import type { Instance, Price } from "../marketplace/marketplace.ts";
import { estimateSchema } from "../money/cost.ts";

/** When a machine reached each stage, in milliseconds since the epoch. */
const stageTimesSchema = z.object({
  /** When the search for it began. */
  searched: optionalNumber,
  /** When its runner was registered. GitHub accepts the configuration only for a while. */
  registered: optionalNumber,
  asked: z.number(),
  created: optionalNumber,
  running: optionalNumber,
  online: optionalNumber,
  /** When it was first seen to be gone, or its destruction was confirmed. */
  gone: optionalNumber,
});

/** A job that a machine ran. `conclusion` and `seconds` are undefined while it runs. */
const ranJobSchema = z.object({
  id: optionalNumber,
  name: z.string(),
  conclusion: z.string().optional(),
  seconds: optionalNumber,
  /** By GitHub, in milliseconds since the epoch. */
  started: optionalNumber,
  /** What its log says of the GPUs; undefined: not reported. */
  figures: jobFiguresSchema.optional(),
});

const priceSchema: z.ZodType<Price> = z.object({
  total: z.number(),
  storage: z.number(),
  inetDown: optionalNumber,
  inetUp: optionalNumber,
  bid: optionalNumber,
});

/** What a machine did and costs, as main writes it down and post reads it. */
export const machineRecordSchema = z.object({
  instanceId: z.number(),
  offer: z.object({ id: z.number(), machineId: optionalNumber, gpuName: z.string(), numGpus: z.number() }),
  price: priceSchema,
  at: stageTimesSchema,
  /** True if it is confirmed that the instance is gone: `at.gone` alone may be one list's mistake. */
  isGone: z.boolean().optional(),
  /** True if the marketplace's list showed the instance once. */
  isListed: z.boolean().optional(),
  /** The traffic that was billed, in GB, as the service last showed it. */
  traffic: z.object({ downGb: z.number(), upGb: z.number() }).optional(),
  /** The jobs that GitHub showed on it, in order; undefined: none. */
  jobs: z.array(ranJobSchema).optional(),
  /** True if the machine was released because no job needed it. */
  isUnneeded: z.boolean().optional(),
  /** When the machine gives itself back at the latest, in milliseconds since the epoch. */
  deadline: optionalNumber,
  /** The estimate of the machine's cost, made before it was rented. */
  estimate: estimateSchema.optional(),
  /** The state seen last, in words; once the machine is gone, why. */
  last: z.string(),
});

/** What a record says of a machine that is there and has no job any more. */
export const JOBS_OVER = "its jobs are over";

export type StageTimes = z.infer<typeof stageTimesSchema>;
export type RanJob = z.infer<typeof ranJobSchema>;
export type MachineRecord = z.infer<typeof machineRecordSchema>;

/** The part of a record that is settled before the machine is rented. */
export type MachineTerms = Pick<MachineRecord, "offer" | "price" | "deadline" | "estimate">;

/** Traffic is written down when it grew by this much, in GB. */
const WORTH_NOTING_GB = 0.05;

/** Prices that differ by a smaller factor are the same price, rounded in another way. */
const SAME_PRICE = 1.01;

/** True for a price that is higher than another one by more than rounding explains. */
export function isDearer(price: number, than: number): boolean {
  return price > than * SAME_PRICE;
}

/** Returns since when an instance exists: by the marketplace, if that is between our request and what is known. */
export function createdAt<Known extends number | undefined>(
  known: Known,
  shown: number | undefined,
  askedAt: number,
): Known | number {
  return shown !== undefined && known !== undefined && shown >= askedAt && shown < known ? shown : known;
}

/** Returns the billed traffic if it grew enough to be written down. A smaller figure is not believed. */
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

/** Rows tell their machines by this: no session has a machine of this number. A runner's name has room for three digits. */
export const MOST_CREATES = 1000;

/** Returns the number of the machine that has this row. */
export function machineNoOf(row: number): number {
  return row % MOST_CREATES;
}
