import { formatDuration } from "../time/duration.ts";
import { decideAfterFailure, OTHERS_MAY_TAKE_MS } from "./decide-after-failure.ts";
import { countJobs, type JobCounts } from "./job-counts.ts";
import type { HoldingDeps } from "./ports.ts";
import { LOOKS_APART_MS } from "./two-looks.ts";

/** How the wait ended. `cancel`: two looks said that the run is to be cancelled. */
export type WaitForOthersEnd = "cancel" | "leave";

/** What the wait is to know. `giveBack`: called once, before anything is waited for; false when something may still bill. */
export interface WaitForOthersOptions {
  cancelRun: "auto" | "true" | "false";
  /** When this step began, in milliseconds since the epoch. */
  begunAt: number;
  giveBack: () => Promise<boolean>;
}

/**
 * After this job has failed and a GPU job is left without a machine: waits for the other jobs of the attempt to be over, so that a cancel of
 * the run takes nothing from them.
 */
export async function waitForOthers(deps: HoldingDeps, options: WaitForOthersOptions): Promise<WaitForOthersEnd> {
  const { clock, signal } = deps;
  const start = clock.now();
  const teller = new Teller(deps, options);
  for (let cancelSince = Number.POSITIVE_INFINITY; ; ) {
    const { jobs, decision } = await look(deps, options, start);
    if (decision === "leave" || !(await teller.mayGoOn(jobs))) return "leave";
    cancelSince = decision === "cancel" ? Math.min(cancelSince, clock.now()) : Number.POSITIVE_INFINITY;
    // Two looks: a job whose needs are just over appears a moment later.
    if (clock.now() - cancelSince >= LOOKS_APART_MS) return "cancel";
    await clock.sleep(LOOKS_APART_MS, signal);
  }
}

async function look(deps: HoldingDeps, { cancelRun, begunAt }: WaitForOthersOptions, start: number) {
  const listed = await deps.listJobs(deps.signal);
  const jobs = listed && countJobs(listed, deps.whose());
  const now = deps.clock.now();
  return { jobs, decision: decideAfterFailure({ cancelRun, jobs, waitedMs: now - start, ageMs: now - begunAt }) };
}

/** When a job is first seen to wait in vain: gives back what is rented, and says what will be done. */
class Teller {
  readonly #log: HoldingDeps["log"];
  readonly #options: WaitForOthersOptions;
  #told = false;

  constructor({ log }: HoldingDeps, options: WaitForOthersOptions) {
    this.#log = log;
    this.#options = options;
  }

  /** False when something may still bill: then there is no time to wait. */
  async mayGoOn(jobs: JobCounts | undefined): Promise<boolean> {
    if (jobs === undefined || jobs.waiting === 0 || this.#told) return true;
    this.#told = true;
    if (!(await this.#options.giveBack())) return false;
    this.#log.warning(sentence(jobs));
    return true;
  }
}

function sentence({ open, url }: JobCounts): string {
  const where = url ? ` (${url})` : "";
  const when =
    open === 0
      ? ""
      : ` when its ${open} other open jobs are over, in ${formatDuration(OTHERS_MAY_TAKE_MS)} at the latest`;
  return `The GPU job waits for a machine that can't be had${where}. Nothing is rented. The run will be cancelled${when}.`;
}
