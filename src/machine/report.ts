import type { Estimate } from "../money/estimate.ts";

/** When a machine reached each stage, in milliseconds since the epoch. */
export interface StageTimes {
  /** When the search that led to it began. */
  searched?: number | undefined;
  /** When its single-use runner configuration was made, which does not keep for long. */
  minted?: number | undefined;
  asked: number;
  created?: number | undefined;
  running?: number | undefined;
  online?: number | undefined;
  /** When it was first seen to be gone, or its destruction was confirmed. */
  gone?: number | undefined;
}

/** A job that a machine ran. `conclusion` and `seconds` are undefined while it runs. */
export interface RanJob {
  name: string;
  conclusion?: string | undefined;
  seconds?: number | undefined;
  /** By GitHub, in milliseconds since the epoch. */
  started?: number | undefined;
}

/** A machine's doings and costs, as post needs them. */
export interface Report {
  instanceId: number;
  offer: { id: number; machine_id?: number | undefined; gpu_name: string; num_gpus: number };
  /** USD per hour; `inetDown` and `inetUp` in USD per GB, where the offer tells them. */
  price: { total: number; storage: number; inetDown?: number | undefined; inetUp?: number | undefined };
  at: StageTimes;
  /** That there is none (any more) was confirmed: `at.gone` alone may be one list's mistake. */
  isGone?: boolean | undefined;
  /** Bytes that were billed, as the service last showed, in GB. */
  traffic?: { downGb: number; upGb: number } | undefined;
  /** The jobs that GitHub showed on it, in order; undefined: none. */
  jobs?: RanJob[] | undefined;
  /** It was given up, as no job needed it. */
  isUnneeded?: boolean | undefined;
  /** When it gives itself back at the latest, in Unix seconds. */
  deadline?: number | undefined;
  /** The most that it was thought to cost, before it was rented. */
  estimate?: Estimate | undefined;
  /** The last state seen, in words; once it is gone, why. */
  last: string;
}

/** The part of a report that is settled before its machine is rented. */
export type Terms = Pick<Report, "offer" | "price" | "deadline" | "estimate">;
