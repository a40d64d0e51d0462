import { join } from "node:path";
import type { MachineRecord, RanJob, StageTimes } from "../create/machine-record.ts";
import { actualCost, type Cost, type Estimate, totalCost } from "../money/cost.ts";
import { HOLDER_USD_PER_MINUTE } from "../money/price.ts";
import type { Log } from "../shared/log.ts";
import type { ReceiptContext } from "../teardown/ledger.ts";
import { jobFigures, machineFigures, secondsBetween } from "./gpu-figures.ts";
import { writeWhole } from "./whole-file.ts";

/** The facts of a receipt. `now`: milliseconds since the epoch. */
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
    /** The beginning of the label of every instance of this session. */
    labelPrefix,
    runnerLabel: context?.runnerLabel ?? null,
    maxCost: context?.maxCost ?? null,
    machines: reports.map((report) => machineOf(report, now)),
    actual: costOf(totalCost(reports, now)),
    /** How many machines no job needed, and their part of `actual.total`. */
    spares: sparesOf(reports, now),
    /** The step that holds, from main's start until now; billed in private repositories only. */
    holder: context === undefined ? null : holderOf(context.startedAt, now),
    /** Names all that may still bill. */
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
    /** True for a machine that no job needed: one rented beside a late one, or for a job that was cancelled. */
    spare: isSpare(report),
    /** What it did; what was not reported is null. */
    figures: machineFigures(report),
    trafficGb: traffic === undefined ? null : { down: traffic.downGb, up: traffic.upGb },
    /** In words; the service and others wrote parts of it. */
    lastState: report.last,
  };
}

/** In order. `usd`: a job's part of the machine's cost, by its time. */
function jobsOf(report: MachineRecord, now: number) {
  const costs = jobCosts(report, now);
  return (report.jobs ?? []).map(({ name, conclusion = null, figures, seconds = null, started }, index) => {
    const began = started === undefined ? null : moment(started);
    const usd = costs[index] ?? 0;
    return { name, conclusion, started: began, seconds, usd, figures: jobFigures(figures) };
  });
}

function estimateOf(estimate: Estimate) {
  const { imageGb = null, runnerGb, usd = null } = estimate.bytes;
  return { ...estimate, bytes: { imageGb, runnerGb, usd } };
}

/** How long each stage took; `held`: from its runner online until it was gone. */
function secondsOf({ searched, asked, created, running, online, gone }: StageTimes) {
  return {
    search: secondsBetween(searched, asked),
    create: secondsBetween(asked, created),
    boot: secondsBetween(created, running),
    online: secondsBetween(running, online),
    held: secondsBetween(online, gone),
  };
}

/** Computes what the hosted runner costs since the step began. GitHub rounds each job up to whole minutes. */
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

/** The path of a session's receipt. `folder`: the one that the platform empties at the job's end. */
export function receiptPath(folder: string, sessionId: string): string {
  return join(folder, `ephemeral-gpu-runner-${sessionId}.json`);
}

/** Writes the receipt and returns its path; empty when it can't be written, which is only told. */
export function writeReceipt(log: Log, path: string, facts: ReceiptFacts): string {
  return writeWhole(log, "The receipt", path, `${JSON.stringify(receiptOf(facts), null, 2)}\n`);
}

/**
 * Divides a machine's cost in USD among its jobs by their times. A job whose end was not seen gets
 * the rest of the machine's time; equal parts if no time is known.
 */
export function jobCosts(report: MachineRecord, end: number): number[] {
  const { total } = actualCost(report, end);
  const { at, jobs = [] } = report;
  const seconds = jobs.map((job) => job.seconds ?? openSeconds(job, at.gone ?? end));
  const sum = seconds.reduce((all, each) => all + each, 0);
  return seconds.map((each) => total * (sum === 0 ? 1 / jobs.length : each / sum));
}

function openSeconds({ conclusion, started }: RanJob, until: number): number {
  return conclusion === undefined && started !== undefined ? Math.max(0, until - started) / 1000 : 0;
}

/** Counts the machines that no job needed, and what they cost together in USD. */
export function sparesOf(reports: readonly MachineRecord[], end: number): { machines: number; total: number } {
  const spares = reports.filter(isSpare);
  return { machines: spares.length, total: spares.reduce((sum, report) => sum + actualCost(report, end).total, 0) };
}

/** True for a machine that was given up because no job needed it. */
function isSpare({ isUnneeded, jobs = [] }: MachineRecord): boolean {
  return isUnneeded === true && jobs.length === 0;
}
