import { countJobs, type JobCounts } from "../jobs/job-counts.ts";
import { paced } from "../jobs/pace.ts";
import { LOOKS_APART_MS } from "../jobs/two-looks.ts";
import { formatDuration } from "../time/duration.ts";
import { type AfterFailureDecision, decideAfterFailure, OTHERS_MAY_TAKE_MS } from "./decide-after-failure.ts";
import type { HoldingDeps } from "./holding-ports.ts";

/** How the wait ended. `cancel`: two looks said that the run is to be cancelled. */
export type WaitForOthersEnd = "cancel" | "leave";

/** What the wait is to know. `giveBack`: called before anything is waited for; false when something may still bill. */
export interface WaitForOthersOptions {
  cancelRun: "auto" | "true" | "false";
  /** When this step began, in milliseconds since the epoch. */
  begunAt: number;
  isRented: () => boolean;
  /** Whether a machine of this attempt, of whatever use, lives; undefined: nobody can say. */
  attemptHasMachine: () => Promise<boolean | undefined>;
  giveBack: () => Promise<boolean>;
}

/**
 * After this job has failed and a GPU job is left without a machine: waits for the other jobs of the attempt to be over, so that a cancel of
 * the run takes nothing from them.
 */
export async function waitForOthers(deps: HoldingDeps, options: WaitForOthersOptions): Promise<WaitForOthersEnd> {
  const { clock, signal } = deps;
  const watch = new Watch(deps, options);
  const teller = new Teller(deps);
  for (let cancelSince = Number.POSITIVE_INFINITY; ; ) {
    const { jobs, decision } = await watch.look();
    if (decision === "leave" || !(await isFree(jobs, options))) return "leave";
    teller.tell(jobs);
    cancelSince = decision === "cancel" ? Math.min(cancelSince, clock.now()) : Number.POSITIVE_INFINITY;
    // Two looks: a job whose needs are just over appears a moment later.
    if (clock.now() - cancelSince >= LOOKS_APART_MS) return "cancel";
    await clock.sleep(paced(LOOKS_APART_MS, deps), signal);
  }
}

/** One look after the other at the jobs and, while other uses wait, too, at the machines of this attempt. */
class Watch {
  readonly #deps: HoldingDeps;
  readonly #options: WaitForOthersOptions;
  readonly #start: number;
  #machinelessSince: number | undefined;

  constructor(deps: HoldingDeps, options: WaitForOthersOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#start = deps.clock.now();
  }

  async look(): Promise<{ jobs: JobCounts | undefined; decision: AfterFailureDecision }> {
    const { clock, listJobs, signal, whose } = this.#deps;
    const { begunAt, cancelRun } = this.#options;
    const listed = await listJobs(signal);
    const jobs = listed && countJobs(listed, whose());
    const machinelessMs = jobs !== undefined && jobs.rivals > 0 ? await this.#machineless() : 0;
    const now = clock.now();
    const facts = { cancelRun, jobs, waitedMs: now - this.#start, ageMs: now - begunAt, machinelessMs };
    return { jobs, decision: decideAfterFailure(facts) };
  }

  async #machineless(): Promise<number> {
    const { clock } = this.#deps;
    const isThere = (await this.#options.attemptHasMachine()) ?? true;
    this.#machinelessSince = isThere ? undefined : (this.#machinelessSince ?? clock.now());
    return this.#machinelessSince === undefined ? 0 : clock.now() - this.#machinelessSince;
  }
}

/** Nothing may bill while it waits. False: something may, and post is to see to it now. */
async function isFree(jobs: JobCounts | undefined, { isRented, giveBack }: WaitForOthersOptions): Promise<boolean> {
  if (!isRented()) return true;
  // A job may run on it: nobody can say.
  return jobs !== undefined && (await giveBack());
}

/** Says each thing once. */
class Teller {
  readonly #log: HoldingDeps["log"];
  readonly #told = new Set<"waits" | "may-come">();

  constructor({ log }: HoldingDeps) {
    this.#log = log;
  }

  tell(jobs: JobCounts | undefined): void {
    if (jobs === undefined) return;
    if (jobs.waiting > 0 && this.#isNew("waits")) this.#log.warning(sentence(jobs));
    if (jobs.waiting === 0 && jobs.open > 0 && this.#isNew("may-come")) this.#log.info(openSentence(jobs.open));
  }

  #isNew(what: "waits" | "may-come"): boolean {
    const isNew = !this.#told.has(what);
    this.#told.add(what);
    return isNew;
  }
}

function openSentence(open: number): string {
  const most = formatDuration(OTHERS_MAY_TAKE_MS);
  return `${open} other jobs of this run are open, and a GPU job may need one of them. Waiting for it, ${most} at the most: it would wait for a day.`;
}

function sentence({ open, url }: JobCounts): string {
  const where = url ? ` (${url})` : "";
  const when =
    open === 0
      ? ""
      : ` when its ${open} other open jobs are over, in ${formatDuration(OTHERS_MAY_TAKE_MS)} at the latest`;
  return `The GPU job waits for a machine that can't be had${where}. Nothing is rented. The run will be cancelled${when}.`;
}
