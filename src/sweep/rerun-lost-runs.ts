import { listAnnotations } from "../github/annotations.ts";
import type { GithubClient } from "../github/github-client.ts";
import type { Job } from "../github/job.ts";
import { readLostJobs } from "../github/lost-jobs.ts";
import { branchHead } from "../github/repository.ts";
import type { Run } from "../github/run.ts";
import { RunJobs } from "../github/run-jobs.ts";
import { rerunFailedJobs } from "../github/run-rerun.ts";
import { getRun, listFailedRuns } from "../github/runs.ts";
import type { Clock } from "../shared/clock.ts";
import type { Log } from "../shared/log.ts";
import { UserError } from "../shared/user-error.ts";
import { jobsToAsk, judgeLostRun, type LostNotes, type LostVerdict, mayBeLost } from "./lost-run.ts";
import { runByRun } from "./run-by-run.ts";

/** The tools of a search for lost runs. */
export interface LostSearch {
  client: GithubClient;
  clock: Clock;
  log: Log;
  /** The run that sweeps is never re-run. */
  ownRunId: number;
  isDryRun: boolean;
  signal: AbortSignal;
}

/** A run that lost a machine under a job. `why` of one that was left, as the end of a sentence. */
export interface LostRun {
  runId: number;
  outcome: "re-run" | "would-rerun" | "left" | "failed";
  why: string;
}

/** The jobs of at most so many runs are read: a request or two each, of a thousand an hour. */
const MOST_RUNS = 20;
/** As old as a run can be whose end is a few hours ago. */
const CREATED_WITHIN_MS = 72 * 3_600_000;

/**
 * Re-runs, once, the failed jobs of runs whose jobs failed only because their machines were lost,
 * if the commit is still its branch's last one. Throws when the runs can't be listed.
 */
export async function rerunLostRuns(search: LostSearch): Promise<LostRun[]> {
  const { client, clock, log, ownRunId, signal } = search;
  const failed = await listFailedRuns(client, clock.now() - CREATED_WITHIN_MS, signal);
  const candidates = failed.filter((run) => mayBeLost(run, ownRunId, clock.now()));
  if (candidates.length > MOST_RUNS) log.info(`Only ${MOST_RUNS} of ${candidates.length} failed runs are looked at.`);
  const look = async (run: Run) => {
    const verdict = await judge(search, run);
    return verdict.kind === "nothing" ? undefined : await carryOut(search, run, verdict);
  };
  return await runByRun(candidates.slice(0, MOST_RUNS), look, log);
}

async function judge(search: LostSearch, run: Run): Promise<LostVerdict> {
  const { client, signal } = search;
  const jobs = await new RunJobs(client, { runId: run.id, attempt: run.attempt }).list(signal);
  const verdict = judgeLostRun(jobs, await readNotes(search, jobsToAsk(run, jobs)));
  if (verdict.kind !== "rerun") return verdict;
  const head = run.headBranch === undefined ? undefined : await branchHead(client, run.headBranch, signal);
  if (head === undefined) return { kind: "leave", why: "it ran for no branch, or for one that is gone" };
  return head === run.headSha ? verdict : { kind: "leave", why: "its branch has a newer commit" };
}

async function readNotes({ client, signal }: LostSearch, jobs: readonly Job[]): Promise<LostNotes> {
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
  search: LostSearch,
  run: Run,
  verdict: Exclude<LostVerdict, { kind: "nothing" }>,
): Promise<LostRun> {
  const tell = (outcome: LostRun["outcome"], why: string): LostRun => ({ runId: run.id, outcome, why });
  const { client, isDryRun, log, signal } = search;
  if (verdict.kind === "leave") {
    log.info(`Run ${run.id} lost a machine and is left: ${verdict.why}.`);
    return tell("left", verdict.why);
  }
  const why = `its machine was lost under ${verdict.jobs.map((name) => `'${name}'`).join(", ")}`;
  try {
    // Right before the act: nobody has re-run it meanwhile.
    const now = await getRun(client, run.id, signal);
    if (now?.attempt !== run.attempt || now.status !== "completed") return tell("left", "somebody has re-run it");
    if (!isDryRun) await rerunFailedJobs(client, run.id, signal);
    log.info(`The failed jobs of run ${run.id} ${isDryRun ? "would be" : "are"} re-run, once: ${why}.`);
    return tell(isDryRun ? "would-rerun" : "re-run", why);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    log.warning(`Run ${run.id} could not be re-run, ${why}: ${error.message} ${error.hint ?? ""}`);
    return tell("failed", why);
  }
}
