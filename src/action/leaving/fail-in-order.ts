import { isAlive } from "../../fleet/stage.ts";
import { type GpuJobs, type Whose } from "../../jobs/gpu-jobs.ts";
import { KnownError } from "../../known-error.ts";
import { destroyUse } from "../../machine/destroy-use.ts";
import { systemClock } from "../../time/clock.ts";
import { type RunInputs, readInputs, readRunInputs } from "../inputs/inputs.ts";
import type { Use } from "../open-use.ts";
import { actionsLog } from "../platform/actions-log.ts";
import { jobsOrUndefined } from "../platform/github-ports.ts";
import { ledgerWriter } from "../platform/ledger.ts";
import { noteFailure } from "../platform/main-end.ts";
import { openGithub, openService } from "../platform/rooms.ts";
import { readRunContext, whoseOf } from "../platform/run-context.ts";
import { reportFailure } from "../report/report-failure.ts";
import { waitForOthers } from "./wait-for-others.ts";

/** How far main has come, for whoever cleans up after it. */
export interface Progress {
  /** When the step began, in milliseconds since the epoch. */
  readonly begunAt: number;
  /** Undefined: nothing can have been rented yet. */
  use?: Use;
}

/** How long main may take to give back what a failure left rented; what is left then is post's. */
const GIVE_BACK_WITHIN_MS = 90_000;

/**
 * Main has failed: tells it at once, gives back what is rented, and then, if a GPU job is left waiting, waits for the other jobs of the run, so
 * that post may cancel the run. A cancelled step ends at once.
 */
export async function failInOrder(error: unknown, progress: Progress, signal: AbortSignal): Promise<void> {
  reportFailure(error);
  noteFailure(error, progress.use?.fleet.taken.length ?? 0);
  const kind = error instanceof KnownError ? error.kind : "other";
  // A check rents for nobody, and another use serves the jobs of a label in use: it is for that one to say what becomes of them.
  if (signal.aborted || kind === "check" || kind === "label-in-use") return;
  const inputs = readRunInputs();
  if (inputs["job-token"] === "" || !inputs.knowsLabel) return;
  try {
    if ((await waitForEnd(inputs, progress, signal)) === "cancel") ledgerWriter.cancelRun();
  } catch (fault) {
    // The failure is told; why nothing more could be done about the waiting job, post finds out and tells.
    if (!signal.aborted && !(fault instanceof KnownError)) throw fault;
  }
}

function waitForEnd(inputs: RunInputs, { use }: Progress, signal: AbortSignal): Promise<"cancel" | "leave"> {
  const run = readRunContext(inputs.name);
  const { jobs } = openGithub(inputs, run);
  const whose: Whose = whoseOf(run, inputs["job-check-run-id"], use?.runnerNamePrefix);
  return waitForOthers({
    ifNoMachine: inputs["if-no-machine"],
    clock: systemClock,
    log: actionsLog,
    signal,
    whose,
    listJobs: (stop) => jobsOrUndefined(jobs, stop),
    giveBack: (seen) => giveBack(use, seen, signal),
  });
}

/** True when nothing of this use is rented any more. A machine whose runner is busy has a job: it is kept. */
async function giveBack(use: Use | undefined, jobs: GpuJobs | undefined, signal: AbortSignal): Promise<boolean> {
  if (use === undefined || use.isGivenBack) return true;
  const { machines, strays } = use.fleet;
  const alive = machines.filter(isAlive);
  if (alive.length === 0 && strays.length === 0) return true;
  // A job may run on one: nobody can say.
  if (jobs === undefined) return false;
  for (const { uses } of alive)
    for (const { runnerId } of uses) if ((await use.runners.remove(runnerId, signal)) === "busy") return false;
  await using room = openService(readInputs());
  const known = alive.flatMap(({ instanceId, createdAt }) => (instanceId === undefined ? [] : [{ id: instanceId, createdAt }]));
  const destroying = { ...room, until: systemClock.now() + GIVE_BACK_WITHIN_MS, signal };
  const { undestroyed, goneAt } = await room.log.stage("Destroy the machines", () =>
    destroyUse(destroying, { prefix: use.prefix, known, isUncertain: false }),
  );
  signal.throwIfAborted();
  for (const { n, instanceId, report } of alive) {
    if (report === undefined || !goneAt?.has(instanceId ?? Number.NaN)) continue;
    report.at.gone = goneAt.get(instanceId ?? Number.NaN);
    report.last = `destroyed when the step failed (${report.last})`;
    use.ledger.report(n, report);
  }
  use.isGivenBack = undestroyed.length === 0;
  return use.isGivenBack;
}
