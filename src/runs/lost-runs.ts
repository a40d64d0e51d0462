import { listAnnotations, readLostJobs } from "../github/annotations.ts";
import { type Job, RunJobs } from "../github/jobs.ts";
import { branchHead, type Run } from "../github/runs.ts";
import { HOUR_MS } from "../shared/duration.ts";
import { UserError } from "../shared/user-error.ts";
import { type RunSearch, runByRun } from "./run-by-run.ts";
import { asksForOurs } from "./stuck-runs.ts";

/** A run of which a job lost its machine. `why`: the reason for the outcome, as the end of a sentence. */
export interface LostRun {
  runId: number;
  outcome: "re-run" | "would-rerun" | "left" | "failed";
  why: string;
}

/** How many runs to look at: each costs a request or two of a thousand an hour. */
const MOST_LOST_RUNS = 20;
/** How long ago a run may have been created: a run that ended some hours ago can have begun days before. */
const CREATED_WITHIN_MS = 72 * HOUR_MS;

/** Re-runs once the failed jobs of runs that failed only by lost machines. Throws when the runs can't be listed. */
export async function rerunLostRuns(search: RunSearch): Promise<LostRun[]> {
  const { clock, log, ownRunId, runs, signal } = search;
  const failed = await runs.listFailed(clock.now() - CREATED_WITHIN_MS, signal);
  const candidates = failed.filter((run) => mayBeLost(run, ownRunId, clock.now()));
  if (candidates.length > MOST_LOST_RUNS)
    log.info(`Only ${MOST_LOST_RUNS} of ${candidates.length} failed runs are looked at.`);
  const look = async (run: Run) => {
    const verdict = await judgeRun(search, run);
    return verdict.kind === "nothing" ? undefined : await carryOut(search, run, verdict);
  };
  return await runByRun(candidates.slice(0, MOST_LOST_RUNS), look, log);
}

async function judgeRun(search: RunSearch, run: Run): Promise<LostVerdict> {
  const { client, signal } = search;
  const jobs = await new RunJobs(client, { runId: run.id, attempt: run.attempt }).list(signal);
  const verdict = judgeLostRun(jobs, await readNotes(search, jobsToAsk(run, jobs)));
  if (verdict.kind !== "rerun") return verdict;
  const head = run.headBranch === undefined ? undefined : await branchHead(client, run.headBranch, signal);
  if (head === undefined) return { kind: "leave", why: "it ran for no branch, or for one that is gone" };
  return head === run.headSha ? verdict : { kind: "leave", why: "its branch has a newer commit" };
}

async function readNotes({ client, signal }: RunSearch, jobs: readonly Job[]): Promise<LostNotes> {
  const renting = new Set<number>();
  const lost = new Set<number>();
  for (const { id } of jobs) {
    const noted = (await listAnnotations(client, id, signal)).flatMap(readLostJobs);
    if (noted.length > 0) renting.add(id);
    for (const jobId of noted) lost.add(jobId);
  }
  return { renting, lost };
}

async function carryOut(
  search: RunSearch,
  run: Run,
  verdict: Exclude<LostVerdict, { kind: "nothing" }>,
): Promise<LostRun> {
  const as = (outcome: LostRun["outcome"], why: string): LostRun => ({ runId: run.id, outcome, why });
  const { isDryRun, log, runs, signal } = search;
  if (verdict.kind === "leave") {
    log.info(`Run ${run.id} lost a machine and is left: ${verdict.why}.`);
    return as("left", verdict.why);
  }
  const why = `its machine was lost under ${verdict.jobs.map((name) => `'${name}'`).join(", ")}`;
  try {
    // Right before the act: somebody may have re-run it meanwhile.
    const now = await runs.get(run.id, signal);
    if (now?.attempt !== run.attempt || now.status !== "completed") return as("left", "somebody has re-run it");
    if (!isDryRun) await runs.rerunFailedJobs(run.id, signal);
    log.info(`The failed jobs of run ${run.id} ${isDryRun ? "would be" : "are"} re-run, once: ${why}.`);
    return as(isDryRun ? "would-rerun" : "re-run", why);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    log.warning(`Run ${run.id} could not be re-run, ${why}: ${error.message} ${error.hint ?? ""}`);
    return as("failed", why);
  }
}

/** How long after its end a run is looked at: sweeps come every six hours, or late. */
const LOOKED_AT_FOR_MS = 8 * HOUR_MS;

/** The conclusions of a job that failed. A cancelled job was ended for a reason outside of it. */
const FAILED = new Set(["failure", "timed_out", "startup_failure", "action_required"]);

/** True for a run that may have to be re-run: it failed lately, was never re-run, and is not our own. */
export function mayBeLost(run: Run, ownRunId: number, now: number): boolean {
  const isFirst = run.attempt === 1 && run.status === "completed" && run.conclusion === "failure";
  return isFirst && run.id !== ownRunId && !run.isOfFork && now - (run.updatedAt ?? 0) < LOOKED_AT_FOR_MS;
}

/** Lists the jobs that may have rented for a failed GPU job of this run; empty if no GPU job failed. */
export function jobsToAsk(run: Run, jobs: readonly Job[]): Job[] {
  if (!jobs.some((job) => isOfGpu(job, run) && endedBadly(job))) return [];
  return jobs.filter((job) => isFailed(job) && !isOfGpu(job, run));
}

/** What the annotations of a run say: which jobs rented, and which jobs lost their machines. */
export interface LostNotes {
  renting: ReadonlySet<number>;
  lost: ReadonlySet<number>;
}

/** What to do with a run that failed. `nothing`: no job of it lost its machine. */
type LostVerdict =
  | { kind: "nothing" }
  | { kind: "leave"; why: string }
  /** `jobs`: the names of the jobs that lost their machines. */
  | { kind: "rerun"; jobs: string[] };

/** Decides whether to re-run a run: yes if each failed job lost its machine, or rented for one that did. */
export function judgeLostRun(jobs: readonly Job[], { renting, lost }: LostNotes): LostVerdict {
  const gone = jobs.filter((job) => lost.has(job.id) && endedBadly(job));
  if (gone.length === 0) return { kind: "nothing" };
  const byItself = jobs.find((job) => isFailed(job) && !lost.has(job.id) && !renting.has(job.id));
  if (byItself) return { kind: "leave", why: `its job '${byItself.name}' failed by itself` };
  return { kind: "rerun", jobs: gone.map(({ name }) => name) };
}

function isOfGpu(job: Job, { id, attempt }: Run): boolean {
  return asksForOurs(job, { runId: id, attempt });
}

function isFailed({ conclusion }: Job): boolean {
  return FAILED.has(conclusion ?? "");
}

/** True for a job that did not succeed. GitHub ends a job whose machine is gone as failed or as cancelled. */
function endedBadly(job: Job): boolean {
  return isFailed(job) || job.conclusion === "cancelled";
}
