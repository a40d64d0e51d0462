import { errorOf } from "../fleet/end-error.ts";
import type { End } from "../fleet/plan/plan-end.ts";
import { annotateJobs } from "../report/annotate-jobs.ts";
import { noteEnd } from "./main-end.ts";
import type { Opened } from "./open-use.ts";

const NONE_CAME =
  "No job in this run asks for the GPU runner: nothing more is rented. It was skipped (a skipped job shows no labels), or its runs-on is another, or it `needs` this job.";

/** Turns the end of the loop into this step's: a word for post, an error where it is to fail. */
export function concludeMain({ inputs, rooms, run, use, policy, request }: Opened, end: End): void {
  const { clock, log } = rooms;
  const { fleet } = use;
  const { runnerLabel } = run;
  const failWithJob = inputs["fail-with-job"];
  const error = errorOf(end, { fleet, policy, request, runnerLabel, failWithJob, now: clock.now() });
  annotateJobs(fleet, error !== undefined);
  if (error !== undefined) throw error;
  if (end.kind === "none-came") {
    noteEnd({ kind: "no-job", message: NONE_CAME });
    log.warning(NONE_CAME);
  } else if (end.kind === "ready") {
    noteEnd({ kind: "ready" });
  } else {
    noteEnd({ kind: "over", taken: fleet.taken.length });
    log.info(overLine(end.kind === "over" ? end.bad.length : 0, fleet.jobs?.ours.length ?? 1));
  }
}

function overLine(bad: number, jobs: number): string {
  if (bad > 0) return `${bad} did not succeed. With fail-with-job: false this job goes on.`;
  return jobs === 1 ? "The GPU job is over." : `The ${jobs} GPU jobs are over.`;
}
