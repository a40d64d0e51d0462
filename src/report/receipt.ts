import { renameSync, writeFileSync } from "node:fs";
import { figuresJson, jobFigures, machineFigures, secondsBetween } from "../gpu-figures/show.ts";
import type { MachineRecord, RanJob, StageTimes } from "../machine/record.ts";
import { actualCost, holderCost, totalCost } from "../money/cost.ts";
import type { ReceiptContext } from "../release/ledger.ts";
import type { Log } from "../shared/log.ts";
import { type StepPage, sessionFile } from "./step-page.ts";

/** The facts of a receipt. `now`: milliseconds since the epoch. */
export interface ReceiptFacts {
  /** `ready`: main wrote it, and the machine bills on. `ended`: post wrote it. */
  state: "ready" | "ended";
  now: number;
  labelPrefix: string;
  /** Undefined: what main wrote down could not be read. */
  context: ReceiptContext | undefined;
  records: readonly MachineRecord[];
  mayStillBill: readonly string[];
}

export type Receipt = ReturnType<typeof receiptOf>;

/**
 * Makes the receipt; docs/costs.md lists its fields. A change of meaning takes a new version. Money
 * in USD, moments in ISO 8601. Undefined: not known, or it did not come to that.
 */
export function receiptOf({ state, now, labelPrefix, context, records, mayStillBill }: ReceiptFacts) {
  return {
    version: 1,
    state,
    written: new Date(now).toISOString(),
    currency: "USD",
    labelPrefix,
    runnerLabel: context?.runnerLabel,
    maxCost: context?.maxCost,
    machines: records.map((record) => receiptMachine(record, now)),
    actual: totalCost(records, now),
    /** How many machines no job needed, and their part of `actual.total`. */
    spares: sparesOf(records, now),
    /** The step that holds, from main's start until now; billed in private repositories only. */
    holder: context && holderCost(now - context.startedAt),
    /** Names all that may still bill. */
    mayStillBill: [...mayStillBill],
  };
}

function receiptMachine(record: MachineRecord, now: number) {
  const { instanceId, offer, price, at, traffic, estimate } = record;
  const { total, storage, inetDown, inetUp } = price;
  return {
    instanceId,
    offer: { id: offer.id, machineId: offer.machineId, gpuName: offer.gpuName, numGpus: offer.numGpus },
    price: { perHour: total, storagePerHour: storage, downPerGb: inetDown, upPerGb: inetUp },
    created: isoTime(at.created),
    gone: isoTime(at.gone),
    seconds: secondsOf(at),
    estimate: estimate && { ...estimate, bytes: { imageGb: undefined, usd: undefined, ...estimate.bytes } },
    /** Until it was gone, or until the receipt was written. */
    actual: actualCost(record, now),
    jobs: receiptJobs(record, now),
    /** True for a machine that no job needed: one rented because another was late, or for a job that was cancelled. */
    spare: isSpare(record),
    figures: machineFigures(record),
    trafficGb: traffic && { down: traffic.downGb, up: traffic.upGb },
    /** In words; the service and others wrote parts of it. */
    lastState: record.last,
  };
}

/** Lists a machine's jobs in order. `usd`: a job's part of the machine's cost, by its time. */
function receiptJobs(record: MachineRecord, now: number) {
  const costs = jobCosts(record, now);
  return (record.jobs ?? []).map(({ name, conclusion, figures, seconds, started }, index) => {
    return {
      name,
      conclusion,
      started: isoTime(started),
      seconds,
      usd: costs[index] ?? 0,
      figures: jobFigures(figures),
    };
  });
}

/** Counts how long each stage took. `held`: from its runner online until it was gone. */
function secondsOf({ searched, asked, created, running, online, gone }: StageTimes) {
  return {
    search: secondsBetween(searched, asked),
    create: secondsBetween(asked, created),
    boot: secondsBetween(created, running),
    online: secondsBetween(running, online),
    held: secondsBetween(online, gone),
  };
}

function isoTime(milliseconds: number | undefined): string | undefined {
  return milliseconds === undefined ? undefined : new Date(milliseconds).toISOString();
}

/** Writes a session's receipt. Returns its path, or an empty text if it can't be written, which is only logged. */
export function writeReceipt(
  { log, page, sessionId }: { log: Log; page: StepPage; sessionId: string },
  facts: ReceiptFacts,
): string {
  const path = sessionFile(page, sessionId, ".json");
  try {
    // Whole or not at all, as another process may be reading it.
    writeFileSync(`${path}.new`, `${figuresJson(receiptOf(facts), 2)}\n`, { mode: 0o644 });
    renameSync(`${path}.new`, path);
    return path;
  } catch (error) {
    log.warning(`The receipt could not be written: ${error instanceof Error ? error.message : error}`);
    return "";
  }
}

/**
 * Divides a machine's cost in USD among its jobs by their times. A job whose end was not seen gets
 * the rest of the machine's time; equal parts if no time is known.
 */
export function jobCosts(record: MachineRecord, end: number): number[] {
  const { total } = actualCost(record, end);
  const { at, jobs = [] } = record;
  const seconds = jobs.map((job) => job.seconds ?? openSeconds(job, at.gone ?? end));
  const sum = seconds.reduce((all, each) => all + each, 0);
  return seconds.map((each) => total * (sum === 0 ? 1 / jobs.length : each / sum));
}

function openSeconds({ conclusion, started }: RanJob, until: number): number {
  return conclusion === undefined && started !== undefined ? Math.max(0, until - started) / 1000 : 0;
}

/** Counts the machines that no job needed, and what they cost together in USD. */
export function sparesOf(records: readonly MachineRecord[], end: number): { machines: number; total: number } {
  const spares = records.filter(isSpare);
  return { machines: spares.length, total: totalCost(spares, end).total };
}

function isSpare({ isUnneeded, jobs = [] }: MachineRecord): boolean {
  return isUnneeded === true && jobs.length === 0;
}
