import type { Clients } from "../action/clients.ts";
import type { RunInputs } from "../action/inputs.ts";
import type { Ledger } from "../action/ledger.ts";
import type { RunContext } from "../action/run-context.ts";
import { type GpuJobs, sortJobs } from "../github/gpu-jobs.ts";
import { insist } from "../github/insist.ts";
import { jobNames } from "../github/job-names.ts";
import { poll } from "../shared/poll.ts";
import { UserError } from "../shared/user-error.ts";
import { decideLeaving } from "./decide-leaving.ts";
import { failWaiting } from "./fail-waiting.ts";
import { DestroyedUnderJobError, RunNotCancelledError } from "./leave-run-errors.ts";
import { LOOKS_APART_MS } from "./wait-for-others.ts";
import { whoseOf } from "./whose.ts";

/** The rooms and inputs that post has open at its end. */
export interface Leaving {
  rooms: Pick<Clients, "clock" | "log" | "jobs" | "cancel" | "runners">;
  run: RunContext;
  ledger: Ledger;
  inputs: Pick<RunInputs, "check" | "if-no-machine" | "job-check-run-id" | "job-status">;
  /** Until when all must be over, in milliseconds since the epoch. */
  until: number;
}

/** The state in which post finds the jobs that are left. */
export interface LeftBehind {
  /** Undefined: they could not be seen. */
  jobs: GpuJobs | undefined;
  /** True when a machine was still there to be destroyed. */
  destroyedOne: boolean;
}

const VERIFY_INTERVAL_MS = 5000;

/**
 * The last act of post: GPU jobs left waiting with no machine to come are failed one by one, or
 * ended by a cancel of the run, as `if-no-machine` says; others are told. Throws when this job had
 * succeeded and yet took the machine away, or the run could not be cancelled.
 */
export async function leaveRun(leaving: Leaving, left: LeftBehind): Promise<void> {
  if (!isOurs(leaving)) return;
  const isChanged = left.jobs !== undefined && (await failWaiting(leaving, left.jobs));
  const jobs = isChanged ? await seenJobs(leaving) : left.jobs;
  const what = jobs && inWords(jobs);
  if (jobs === undefined || what === undefined) return;
  const isCancelled = await isToBeCancelled(leaving, jobs);
  if (isCancelled) await cancelRun(leaving, jobs);
  if (left.destroyedOne && hasSucceeded(leaving)) throw new DestroyedUnderJobError(what);
  if (!isCancelled) tellLeft(leaving, jobs, what);
}

/** A step that may fail leaves its job's status at success. */
function hasSucceeded({ inputs, ledger }: Leaving): boolean {
  return inputs["job-status"] === "success" && ledger.end?.kind !== "failed" && ledger.end?.kind !== "stopped";
}

function tellLeft({ rooms, run }: Leaving, { ours }: GpuJobs, what: string): void {
  const waits = ours.some(({ state }) => state === "waiting");
  const or = waits ? "its job waits for up to a day" : "GitHub ends its job after about ten minutes";
  rooms.log.warning(`No machine is left, while ${what}. Cancel the run, or ${or}: ${linkTo(run)}`);
}

/** No say over jobs: a check, which rents for nobody, and a use refused for another's label. */
function isOurs({ inputs, ledger: { end } }: Leaving): boolean {
  return !inputs.check && !(end?.kind === "failed" && end.what === "label-in-use");
}

/** The jobs that ask for this use's machines; undefined, and told, when they can't be seen. */
export async function seenJobs(leaving: Leaving): Promise<GpuJobs | undefined> {
  const { rooms, run, ledger, inputs, until } = leaving;
  try {
    const use = ledger.prefix?.slice(ledger.prefix.lastIndexOf(".") + 1);
    const prefix = use === undefined ? undefined : `${run.runnerLabel}-${use}`;
    const listed = await insist(() => rooms.jobs.list(), rooms.clock, { until });
    return sortJobs(listed, whoseOf(run, inputs["job-check-run-id"], prefix));
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    rooms.log.info(`Whether a GPU job is left could not be seen: ${error.message}`);
    return undefined;
  }
}

/** Looks once more: a job that has begun since, or another open one, must not be taken along. */
async function isToBeCancelled(leaving: Leaving, jobs: GpuJobs): Promise<boolean> {
  const { inputs, ledger, rooms, until } = leaving;
  // A job that could not be failed is treated as with `auto`.
  const wanted = inputs["if-no-machine"];
  const ifNoMachine = wanted === "fail-jobs" ? "auto" : wanted;
  const decide = (seen: GpuJobs) => decideLeaving({ ifNoMachine, jobs: seen, waitedMs: 0 }) === "cancel";
  if (!decide(jobs)) return false;
  if (ledger.cancelRun) return true;
  if (rooms.clock.now() + LOOKS_APART_MS >= until) return false;
  await rooms.clock.sleep(LOOKS_APART_MS);
  const again = await seenJobs(leaving);
  return again !== undefined && decide(again);
}

/** Cancels, and sees that every GPU job is over. */
async function cancelRun(leaving: Leaving, jobs: GpuJobs): Promise<void> {
  const { rooms, run, until } = leaving;
  const link = jobs.ours.find(({ state }) => state === "waiting")?.url ?? linkTo(run);
  try {
    await insist(() => rooms.cancel.cancel(run.runId), rooms.clock, { until });
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    throw new RunNotCancelledError(link, error);
  }
  const look = async () => {
    const left = await seenJobs(leaving);
    return left !== undefined && !left.ours.some(({ state }) => state === "waiting");
  };
  const isOver = await poll(look, { clock: rooms.clock, intervalMs: VERIFY_INTERVAL_MS, until });
  if (isOver) rooms.log.info("The run is cancelled: its GPU job could have no machine.");
  else rooms.log.warning(`GitHub took the cancel of the run; its GPU job is still listed as waiting: ${link}`);
}

function inWords({ ours }: GpuJobs): string | undefined {
  const [state, did] = ours.some((job) => job.state === "running")
    ? ["running", "running"]
    : ["waiting", "waiting for it"];
  const jobs = ours.filter((job) => job.state === state);
  return jobs.length === 0 ? undefined : `${jobNames(jobs)} ${jobs.length === 1 ? "was" : "were"} ${did}`;
}

function linkTo({ serverUrl, owner, repo, runId }: RunContext): string {
  return `${serverUrl}/${owner}/${repo}/actions/runs/${runId}`;
}
