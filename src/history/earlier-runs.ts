import type { Job } from "../github/jobs.ts";
import type { Run } from "../github/runs.ts";
import { orElse } from "../shared/user-error.ts";
import { type KeptFacts, mergeFacts, NO_FACTS, pruneFacts } from "./kept-facts.ts";
import { type Head, type ReadRecords, readRecords } from "./records.ts";

/** What earlier runs left in the logs of their jobs. */
export interface EarlierRuns {
  facts: KeptFacts;
  /** Who wrote the newest of them; undefined: nothing is known. */
  head: Head | undefined;
  /** How many lines could not be used. */
  lost: number;
  /** True if all that was to be read is in it, so that the next run need look no further back. */
  isWhole: boolean;
  /** Why there is nothing, or not all: a sentence. */
  why?: string | undefined;
}

export const NOTHING_KNOWN: EarlierRuns = { facts: NO_FACTS, head: undefined, lost: 0, isWhole: false, why: undefined };

/** How earlier runs are seen. Every function throws UserError where GitHub refuses or does not answer. */
export interface EarlierJobs {
  /** Finds the name by which GitHub lists the job that runs this step. */
  ownName(signal: AbortSignal): Promise<string>;
  /** Lists the newest completed runs of this workflow. */
  listRuns(signal: AbortSignal): Promise<Run[]>;
  listJobs(
    run: Pick<Run, "attempt" | "id">,
    signal: AbortSignal,
  ): Promise<Pick<Job, "conclusion" | "id" | "labels" | "name" | "status">[]>;
  readLog(jobId: number, signal: AbortSignal): Promise<string>;
}

interface ReadingRun {
  runId: number;
  attempt: number;
  key: Buffer;
  /** In milliseconds since the epoch. */
  now: number;
}

/** The most that a run asks of GitHub for its history, and the most logs among it. */
const MOST_REQUESTS = 10;
const MOST_LOGS = 4;
const READ_WITHIN_MS = 5000;
const ROWS_OF_REQUEST = 100;

/** Reads what earlier runs knew, for five seconds at most. A fault costs what it hides, and is told. Never throws. */
export async function readEarlierRuns(jobs: EarlierJobs, run: ReadingRun, signal: AbortSignal): Promise<EarlierRuns> {
  const reading = new Reading(jobs, run);
  const timeout = AbortSignal.timeout(READ_WITHIN_MS);
  try {
    return await reading.read(AbortSignal.any([signal, timeout]));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const why = timeout.aborted ? `GitHub took more than ${READ_WITHIN_MS / 1000} s.` : message;
    return { ...reading.found, facts: pruneFacts(reading.found.facts, run.now), why };
  }
}

type SeenJob = Awaited<ReturnType<EarlierJobs["listJobs"]>>[number];

/** One reading. It goes back from run to run until one knew all that came before it. */
class Reading {
  readonly #jobs: EarlierJobs;
  readonly #run: ReadingRun;
  /** What was read until now. */
  found = NOTHING_KNOWN;
  #requests = 0;
  #logs = 0;
  /** When the run began that knew all before it. What ended later it can't have known. */
  #wholeSince: number | undefined;

  constructor(jobs: EarlierJobs, run: ReadingRun) {
    this.#jobs = jobs;
    this.#run = run;
  }

  async read(signal: AbortSignal): Promise<EarlierRuns> {
    this.#requests += 2;
    const [own, listed] = await Promise.all([this.#jobs.ownName(signal), this.#jobs.listRuns(signal)]);
    const others: [Seen, SeenJob][] = [];
    for (const run of [...this.#earlierAttempt(), ...listed.filter((each) => this.#isEarlier(each))]) {
      if (!this.#mayAdd(run)) continue;
      const jobs = await this.#listJobs(run, signal);
      for (const job of jobs.filter(({ name }) => name === own)) await this.#readLog(run, job, signal);
      others.push(...jobs.filter(({ name }) => name !== own).map((job): [Seen, SeenJob] => [run, job]));
    }
    // Another job that rents knows the same hosts.
    if (this.found.head === undefined)
      for (const [run, job] of others) await this.#readLog({ ...run, isOther: true }, job, signal);
    const isWhole = this.#wholeSince !== undefined || (this.#requests < MOST_REQUESTS && this.#logs < MOST_LOGS);
    return { ...this.found, facts: pruneFacts(this.found.facts, this.#run.now), isWhole };
  }

  /** It knows the hosts that failed just now. Runs may have come since, so the reading goes on behind it. */
  #earlierAttempt(): Seen[] {
    const { attempt, now, runId } = this.#run;
    return attempt > 1 ? [{ id: runId, attempt: attempt - 1, startedAt: undefined, updatedAt: now }] : [];
  }

  #isEarlier({ conclusion, id, isOfFork }: Run): boolean {
    return id !== this.#run.runId && !isOfFork && conclusion !== "skipped";
  }

  #mayAdd({ id, updatedAt = Number.POSITIVE_INFINITY }: Seen): boolean {
    const { runs, unread } = this.found.facts;
    const isKnown = id !== this.#run.runId && (unread.has(id) || runs.some(({ run }) => run === id));
    return !isKnown && updatedAt > (this.#wholeSince ?? 0);
  }

  async #listJobs(run: Seen, signal: AbortSignal): Promise<SeenJob[]> {
    if (this.#logs === MOST_LOGS || this.#requests >= MOST_REQUESTS - 1) return [];
    const jobs = await this.#jobs.listJobs(run, signal);
    this.#requests += Math.max(1, Math.ceil(jobs.length / ROWS_OF_REQUEST));
    const isGpuJob = ({ labels }: SeenJob) => labels.some((label) => label.startsWith(`gpu-${run.id}-`));
    return jobs.filter((job) => job.status === "completed" && job.conclusion !== "skipped" && !isGpuJob(job));
  }

  async #readLog(run: Seen, { id }: SeenJob, signal: AbortSignal): Promise<void> {
    if (this.#logs === MOST_LOGS || this.#requests >= MOST_REQUESTS) return;
    this.#logs += 1;
    this.#requests += 1;
    const { key, now } = this.#run;
    const read = async () => this.#take(run, readRecords(await this.#jobs.readLog(id, signal), key, now));
    await orElse(read, ({ message }) => this.#isUnread(run, message), signal);
  }

  #take(run: Seen, { facts, head, lost, used }: ReadRecords): void {
    if (used === 0) {
      // A run without any line had no history, as it was refused before it could know one.
      if (lost > 0) this.#isUnread(run, `no line of run ${run.id} is of this workflow and api-key.`);
      return;
    }
    const { found } = this;
    const isNewer = head !== undefined && head.at > (found.head?.at ?? 0);
    const newest = isNewer ? head : found.head;
    this.found = { ...found, facts: mergeFacts(found.facts, facts), lost: found.lost + lost, head: newest };
    if (head?.isWhole) this.#wholeSince ??= run.startedAt;
  }

  #isUnread({ id, isOther, updatedAt = this.#run.now }: Seen, why: string): void {
    const { facts, why: before = why } = this.found;
    const unread = isOther ? facts.unread : new Map(facts.unread).set(id, updatedAt);
    this.found = { ...this.found, facts: { ...facts, unread }, why: before };
  }
}

type Seen = Pick<Run, "attempt" | "id" | "startedAt" | "updatedAt"> & { isOther?: boolean };
