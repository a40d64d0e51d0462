import { z } from "zod";
import type { Estimate } from "../money/estimate.ts";

const maybe = z.number().optional();

/** When a machine reached each stage, in milliseconds since the epoch. */
const stageTimesSchema = z.object({
  /** When the search that led to it began. */
  searched: maybe,
  /** When its single-use runner configuration was made, which does not keep for long. */
  minted: maybe,
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
});

const estimateSchema: z.ZodType<Estimate> = z.object({
  minutes: z.number(),
  machine: z.number(),
  bytes: z.object({ imageGb: maybe, runnerGb: z.number(), usd: maybe }),
  most: z.number(),
  holder: z.object({ usdPerMinute: z.number(), usd: z.number() }),
});

/** A machine's doings and costs, as main writes them down and post reads them. */
export const machineRecordSchema = z.object({
  instanceId: z.number(),
  offer: z.object({ id: z.number(), machine_id: maybe, gpu_name: z.string(), num_gpus: z.number() }),
  /** USD per hour; `inetDown` and `inetUp` in USD per GB, where the offer tells them. */
  price: z.object({ total: z.number(), storage: z.number(), inetDown: maybe, inetUp: maybe }),
  at: stageTimesSchema,
  /** That there is none (any more) was confirmed: `at.gone` alone may be one list's mistake. */
  isGone: z.boolean().optional(),
  /** Bytes that were billed, as the service last showed, in GB. */
  traffic: z.object({ downGb: z.number(), upGb: z.number() }).optional(),
  /** The jobs that GitHub showed on it, in order; undefined: none. */
  jobs: z.array(ranJobSchema).optional(),
  /** It was given up, as no job needed it. */
  isUnneeded: z.boolean().optional(),
  /** When it gives itself back at the latest, in Unix seconds. */
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
