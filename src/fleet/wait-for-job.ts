import { countJobs, type JobCounts } from "../jobs/job-counts.ts";
import { paced } from "../jobs/pace.ts";
import { TwoLooks } from "../jobs/two-looks.ts";
import { formatDuration } from "../time/duration.ts";
import { decideBeforeRenting } from "./decide-before-renting.ts";
import { HoldError } from "./holding-errors.ts";
import type { HoldingDeps } from "./holding-ports.ts";

/** How often GitHub is asked while nothing is rented. An unchanged list is answered by 304, which is free. */
const INTERVAL_MS = 15_000;

/** What the inputs say of waiting. */
export interface WaitForJobOptions {
  hold: "auto" | "true";
  waitForJobMs: number;
}

/** Waits until a job asks for the machine. `end`: there is nothing to rent for; the sentence says why. */
export async function waitForJob(
  deps: HoldingDeps,
  options: WaitForJobOptions,
): Promise<{ kind: "rent" } | { kind: "end"; warning: string }> {
  const { clock, log, signal } = deps;
  const start = clock.now();
  const looks = new TwoLooks();
  let told = false;
  for (;;) {
    const listed = await deps.listJobs(signal);
    const jobs = listed && countJobs(listed, deps.whose());
    const now = clock.now();
    const decision = looks.confirm(decideBeforeRenting({ ...options, jobs, waitedMs: now - start }), now);
    if (decision?.do === "rent") return { kind: "rent" };
    if (decision?.do === "end") return { kind: "end", warning: decision.warning };
    if (decision?.do === "fail") throw new HoldError(decision.why, decision.hint);
    if (!told) log.info(waitingLine(jobs, options.waitForJobMs));
    told = true;
    await clock.sleep(paced(INTERVAL_MS, deps), signal);
  }
}

function waitingLine(jobs: JobCounts | undefined, waitForJobMs: number): string {
  const seen = jobs
    ? `${jobs.others} other jobs in this run, ${jobs.open} of them open`
    : "the jobs can't be read at the moment";
  return `No job asks for the GPU runner yet (${seen}). Waiting up to ${formatDuration(waitForJobMs)}; nothing is rented.`;
}
