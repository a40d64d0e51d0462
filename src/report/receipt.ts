import { z } from "zod";
import type { MachineRecord, StageTimes } from "../create/machine-record.ts";
import { actualCost, type Cost, type Estimate, totalCost } from "../money/cost.ts";
import { HOLDER_USD_PER_MINUTE } from "../money/price.ts";
import { isSpare, jobCosts, sparesOf } from "./job-costs.ts";

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
  /** `ready`: main wrote it, and the machine bills on. `ended`: post wrote it. */
  state: "ready" | "ended";
  now: number;
  labelPrefix: string;
  /** Undefined: what main wrote down could not be read. */
  context: ReceiptContext | undefined;
  reports: readonly MachineRecord[];
  mayStillBill: readonly string[];
}

export type Receipt = ReturnType<typeof receiptOf>;

/**
 * Makes the receipt; docs/costs.md lists its fields. A change of meaning takes a new version. Money
 * in USD, moments in ISO 8601. What is not known, or did not come, is null.
 */
export function receiptOf({ state, now, labelPrefix, context, reports, mayStillBill }: ReceiptFacts) {
  return {
    version: 1,
    state,
    written: moment(now),
    currency: "USD",
    /** The beginning of the label of every instance of this use. */
    labelPrefix,
    runnerLabel: context?.runnerLabel ?? null,
    maxCost: context?.maxCost ?? null,
    machines: reports.map((report) => machineOf(report, now)),
    actual: costOf(totalCost(reports, now)),
    /** How many machines no job needed, and their part of `actual.total`. */
    spares: sparesOf(reports, now),
    /** The step that holds, from main's start until now; billed in private repositories only. */
    holder: context === undefined ? null : holderOf(context.startedAt, now),
    /** In words, whatever could not be confirmed to be gone. */
    mayStillBill: [...mayStillBill],
  };
}

function machineOf(report: MachineRecord, now: number) {
  const { instanceId, offer, price, at, traffic, estimate } = report;
  const { total, storage, inetDown, inetUp } = price;
  return {
    instanceId,
    offer: { id: offer.id, machineId: offer.machineId ?? null, gpuName: offer.gpuName, numGpus: offer.numGpus },
    price: { perHour: total, storagePerHour: storage, downPerGb: inetDown ?? null, upPerGb: inetUp ?? null },
    created: at.created === undefined ? null : moment(at.created),
    gone: at.gone === undefined ? null : moment(at.gone),
    seconds: secondsOf(at),
    estimate: estimate === undefined ? null : estimateOf(estimate),
    /** Until it was gone, or until the receipt was written. */
    actual: costOf(actualCost(report, now)),
    jobs: jobsOf(report, now),
    /** No job needed it: a second one for a late one, or for a job that was cancelled. */
    spare: isSpare(report),
    trafficGb: traffic === undefined ? null : { down: traffic.downGb, up: traffic.upGb },
    /** In words; the service and others wrote parts of it. */
    lastState: report.last,
  };
}

/** In order. `usd`: a job's part of the machine's cost, by its time. */
function jobsOf(report: MachineRecord, now: number) {
  const costs = jobCosts(report, now);
  return (report.jobs ?? []).map(({ name, conclusion = null, seconds = null, started }, index) => {
    const began = started === undefined ? null : moment(started);
    return { name, conclusion, started: began, seconds, usd: costs[index] ?? 0 };
  });
}

function estimateOf(estimate: Estimate) {
  const { imageGb = null, runnerGb, usd = null } = estimate.bytes;
  return { ...estimate, bytes: { imageGb, runnerGb, usd } };
}

/** How long each stage took; `held`: from its runner online until it was gone. */
function secondsOf({ searched, asked, created, running, online, gone }: StageTimes) {
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

function costOf({ gpu, storage, bytes, total }: Cost) {
  return { gpu, storage, bytes: bytes ?? null, total };
}

function moment(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
