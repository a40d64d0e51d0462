import { z } from "zod";
import type { Report, StageTimes } from "../../machine/report.ts";
import { actualCost, type Cost, totalCost } from "../../money/cost.ts";
import type { Estimate } from "../../money/estimate.ts";
import { HOLDER_USD_PER_MINUTE } from "../../money/hosted-prices.ts";
import { isSpare, jobCosts, sparesOf } from "./job-costs.ts";

/** Of one machine: how long each stage took. Null: it was not reached, or nobody saw it. */
export interface StageSeconds {
  search: number | null;
  create: number | null;
  boot: number | null;
  online: number | null;
  /** From its runner online until it was gone. */
  held: number | null;
}

/** One machine of the use. Money in USD, moments in ISO 8601. */
export interface ReceiptMachine {
  instanceId: number;
  offer: { id: number; machineId: number | null; gpuName: string; numGpus: number };
  price: { perHour: number; storagePerHour: number; downPerGb: number | null; upPerGb: number | null };
  created: string | null;
  gone: string | null;
  seconds: StageSeconds;
  estimate: ReceiptEstimate | null;
  /** Until it was gone, or until the receipt was written. */
  actual: ReceiptCost;
  /** In order. Null: it was not seen to be over. */
  jobs: ReceiptJob[];
  /** No job needed it: a second one for a late one, or for a job that was cancelled. */
  spare: boolean;
  trafficGb: { down: number; up: number } | null;
  /** In words; the service and others wrote parts of it. */
  lastState: string;
}

/** `usd`: its part of the machine's cost, by its time. */
export interface ReceiptJob {
  name: string;
  conclusion: string | null;
  started: string | null;
  seconds: number | null;
  usd: number;
}

/** Null: the image's size was not known, or the offer had no price for bytes. */
export type ReceiptEstimate = Omit<Estimate, "bytes"> & {
  bytes: { imageGb: number | null; runnerGb: number; usd: number | null };
};

/** `bytes` null: the service or the offer did not tell. */
export type ReceiptCost = Omit<Cost, "bytes"> & { bytes: number | null };

/** The receipt; docs/costs.md lists its fields. A change of meaning takes a new version. */
export interface Receipt {
  version: 1;
  /** `ready`: main wrote it, and the machine bills on. `ended`: post wrote it. */
  state: "ready" | "ended";
  written: string;
  currency: "USD";
  /** The beginning of the label of every instance of this use. */
  labelPrefix: string;
  runnerLabel: string | null;
  maxCost: number | null;
  machines: ReceiptMachine[];
  actual: ReceiptCost;
  /** How many machines no job needed, and their part of `actual.total`. */
  spares: { machines: number; total: number };
  /** The step that holds, from main's start until now; billed in private repositories only. */
  holder: { minutes: number; usdPerMinute: number; usd: number } | null;
  /** In words, whatever could not be confirmed to be gone. */
  mayStillBill: string[];
}

/** The facts that main knows and post needs for the receipt. */
export const contextSchema = z.object({
  startedAt: z.number(),
  runnerLabel: z.string(),
  maxCost: z.number().optional(),
  /** The credit before anything was rented, in USD. */
  credit: z.number().optional(),
});

export type ReceiptContext = z.infer<typeof contextSchema>;

/** All that a receipt is made of; `now` in milliseconds since the epoch. */
export interface ReceiptFacts {
  state: Receipt["state"];
  now: number;
  labelPrefix: string;
  /** Undefined: what main wrote down could not be read. */
  context: ReceiptContext | undefined;
  reports: readonly Report[];
  mayStillBill: readonly string[];
}

/** Makes the receipt. */
export function receiptOf({ state, now, labelPrefix, context, reports, mayStillBill }: ReceiptFacts): Receipt {
  return {
    version: 1,
    state,
    written: moment(now),
    currency: "USD",
    labelPrefix,
    runnerLabel: context?.runnerLabel ?? null,
    maxCost: context?.maxCost ?? null,
    machines: reports.map((report) => machineOf(report, now)),
    actual: costOf(totalCost(reports, now)),
    spares: sparesOf(reports, now),
    holder: context === undefined ? null : holderOf(context.startedAt, now),
    mayStillBill: [...mayStillBill],
  };
}

function machineOf(report: Report, now: number): ReceiptMachine {
  const { instanceId, offer, price, at, traffic, estimate } = report;
  const { total, storage, inetDown, inetUp } = price;
  return {
    instanceId,
    offer: { id: offer.id, machineId: offer.machine_id ?? null, gpuName: offer.gpu_name, numGpus: offer.num_gpus },
    price: { perHour: total, storagePerHour: storage, downPerGb: inetDown ?? null, upPerGb: inetUp ?? null },
    created: at.created === undefined ? null : moment(at.created),
    gone: at.gone === undefined ? null : moment(at.gone),
    seconds: secondsOf(at),
    estimate: estimate === undefined ? null : estimateOf(estimate),
    actual: costOf(actualCost(report, now)),
    jobs: receiptJobs(report, now),
    spare: isSpare(report),
    trafficGb: traffic === undefined ? null : { down: traffic.downGb, up: traffic.upGb },
    lastState: report.last,
  };
}

function receiptJobs(report: Report, now: number): ReceiptJob[] {
  const costs = jobCosts(report, now);
  return (report.jobs ?? []).map(({ name, conclusion = null, seconds = null, started }, index) => {
    const began = started === undefined ? null : moment(started);
    return { name, conclusion, started: began, seconds, usd: costs[index] ?? 0 };
  });
}

function estimateOf(estimate: Estimate): ReceiptEstimate {
  const { imageGb = null, runnerGb, usd = null } = estimate.bytes;
  return { ...estimate, bytes: { imageGb, runnerGb, usd } };
}

/** How long each stage took. */
function secondsOf({ searched, asked, created, running, online, gone }: StageTimes): StageSeconds {
  const between = (from: number | undefined, to: number | undefined) =>
    from === undefined || to === undefined ? null : Math.max(0, Math.round((to - from) / 1000));
  return {
    search: between(searched, asked),
    create: between(asked, created),
    boot: between(created, running),
    online: between(running, online),
    held: between(online, gone),
  };
}

/** The hosted runner's part since the step began. GitHub rounds each job up to whole minutes. */
export function holderOf(startedAt: number, now: number): { minutes: number; usdPerMinute: number; usd: number } {
  const minutes = Math.ceil(Math.max(0, now - startedAt) / 60_000);
  return { minutes, usdPerMinute: HOLDER_USD_PER_MINUTE, usd: minutes * HOLDER_USD_PER_MINUTE };
}

function costOf({ gpu, storage, bytes, total }: Cost): ReceiptCost {
  return { gpu, storage, bytes: bytes ?? null, total };
}

function moment(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
