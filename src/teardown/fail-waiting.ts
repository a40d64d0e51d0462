import type { Clients } from "../action/clients.ts";
import { jobsOrUndefined, runnersPort } from "../action/github-ports.ts";
import type { RunInputs } from "../action/inputs.ts";
import type { Ledger } from "../action/ledger.ts";
import type { RunContext } from "../action/run-context.ts";
import { drawUse } from "../create/label.ts";
import { asksForMore, type GpuJobs } from "../github/gpu-jobs.ts";
import { oneLine } from "../shared/foreign-text.ts";
import { type FailingJobs, failJobs } from "./fail-jobs.ts";

/** The ports and facts for failing the jobs that wait. */
export interface FailWaiting {
  rooms: Pick<Clients, "clock" | "log" | "jobs" | "runners">;
  run: RunContext;
  ledger: Pick<Ledger, "prefix" | "runners" | "end">;
  inputs: Pick<RunInputs, "if-no-machine">;
  /** In milliseconds since the epoch. */
  until: number;
}

/**
 * `if-no-machine: fail-jobs`: fails the jobs of ours that wait, after main has said why no machine
 * comes for them. Nothing may be rented any more. True when jobs may have changed by it.
 */
export async function failWaiting(waiting: FailWaiting, jobs: GpuJobs, fail = failJobs): Promise<boolean> {
  const { inputs, ledger, rooms, run, until } = waiting;
  // Without a word of main nothing says that no machine comes; a cancel ends the jobs by itself.
  if (inputs["if-no-machine"] !== "fail-jobs" || ledger.end?.kind !== "failed") return false;
  const failing = jobs.ours.filter((job) => job.state === "waiting" && !asksForMore(job));
  if (failing.length === 0) return false;
  const ownNames = ownNamesOf(run, ledger);
  const red = await fail({
    jobs: failing,
    reason: reasonOf(run, ledger.end),
    // Names that this use's machines don't have: theirs end with a number.
    runnerNamePrefix: `${ownNames}none`,
    runners: runnersPort(rooms, run.runnerLabel, ownNames),
    download: (signal) => rooms.runners.download(signal),
    listJobs: (signal) => jobsOrUndefined(rooms.jobs, signal),
    clock: rooms.clock,
    log: rooms.log,
    until,
  } satisfies FailingJobs);
  const names = failing.filter(({ id }) => red.includes(id)).map(({ name }) => `'${oneLine(name, 100)}'`);
  if (names.length > 0) rooms.log.info(`Failed, as no machine could be had: ${names.join(", ")}.`);
  return true;
}

function reasonOf({ jobName }: RunContext, { message, hint }: { message: string; hint?: string | undefined }): string {
  const toDo = hint === undefined ? "" : `\nWhat to do: ${hint}`;
  return `No machine could be had for this job; the job '${oneLine(jobName, 100)}' was to rent one. ${message}${toDo}`;
}

/** How the names of this use's runners begin. */
function ownNamesOf({ runnerLabel }: RunContext, { prefix }: Pick<Ledger, "prefix">): string {
  const use = prefix === undefined ? drawUse() : prefix.slice(prefix.lastIndexOf(".") + 1);
  return `${runnerLabel}-${use}-`;
}
