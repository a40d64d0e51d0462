import { actionsLog } from "../action/actions-log.ts";
import { openGithub, openService } from "../action/clients.ts";
import { jobsOrUndefined } from "../action/github-ports.ts";
import { type RunInputs, readInputs, readRunInputs } from "../action/inputs.ts";
import { ledgerWriter } from "../action/ledger.ts";
import { noteFailure } from "../action/main-end.ts";
import { readRunContext } from "../action/run-context.ts";
import { billingOf } from "../fleet/state/billing.ts";
import type { Machine } from "../fleet/state/machine.ts";
import { isAlive } from "../fleet/state/stage.ts";
import type { GpuJobs, JobMatcher } from "../github/jobs.ts";
import { reportFailure } from "../report/report-failure.ts";
import { systemClock } from "../shared/clock.ts";
import { UserError } from "../shared/user-error.ts";
import { destroySession } from "./destroy-session.ts";
import type { Progress, Use } from "./progress.ts";
import { waitForOthers } from "./wait-for-others.ts";
import { whoseOf } from "./whose.ts";

/** How long main may take to give back what a failure left rented; what is left then is post's. */
const GIVE_BACK_WITHIN_MS = 90_000;

/**
 * Main has failed: tells it at once, gives back what is rented, and then, if a GPU job is left
 * waiting, waits for the other jobs of the run, so that post may cancel the run. A cancelled step
 * ends at once.
 */
export async function failInOrder(error: unknown, progress: Progress, signal: AbortSignal): Promise<void> {
  reportFailure(error, billingOf(progress.use?.fleet));
  noteFailure(error, progress.use?.fleet.taken.length ?? 0);
  const inputs = readRunInputs();
  if (signal.aborted || !isOurs(error, inputs) || inputs["job-token"] === "" || !inputs.knowsLabel) return;
  try {
    if ((await waitForEnd(inputs, progress, signal)) === "cancel") ledgerWriter.cancelRun();
  } catch (fault) {
    // The failure is told; why nothing more could be done about the waiting job, post finds out and
    // tells.
    if (!signal.aborted && !(fault instanceof UserError)) throw fault;
  }
}

/**
 * A check rents for nobody, and another use serves the jobs of a label in use: it is for that one
 * to say what becomes of them.
 */
function isOurs(error: unknown, { check }: RunInputs): boolean {
  return !check && !(error instanceof UserError && error.kind === "label-in-use");
}

function waitForEnd(inputs: RunInputs, { use }: Progress, signal: AbortSignal): Promise<"cancel" | "leave"> {
  const run = readRunContext(inputs.name);
  const { jobs } = openGithub(inputs, run);
  const whose: JobMatcher = whoseOf(run, inputs["job-check-run-id"], use?.runnerNamePrefix);
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

/** True when nothing of this use is rented any more. A machine with a busy runner is kept. */
async function giveBack(use: Use | undefined, jobs: GpuJobs | undefined, signal: AbortSignal): Promise<boolean> {
  if (use === undefined || use.isGivenBack) return true;
  const alive = use.fleet.machines.filter(isAlive);
  if (alive.length === 0 && use.fleet.strays.length === 0) return true;
  // A job may run on one: nobody can say.
  if (jobs === undefined || (await isAnyBusy(use, alive, signal))) return false;
  use.isGivenBack = await destroyAll(use, alive, signal);
  return use.isGivenBack;
}

async function isAnyBusy({ runners }: Use, machines: readonly Machine[], signal: AbortSignal): Promise<boolean> {
  for (const { runnerId } of machines.flatMap(({ uses }) => uses))
    if ((await runners.remove(runnerId, signal)) === "busy") return true;
  return false;
}

async function destroyAll(use: Use, alive: readonly Machine[], signal: AbortSignal): Promise<boolean> {
  await using room = openService(readInputs());
  const known = alive.flatMap(({ instanceId: id, createdAt }) => (id === undefined ? [] : [{ id, createdAt }]));
  const destroying = { ...room, until: systemClock.now() + GIVE_BACK_WITHIN_MS, signal };
  // A create that counts as not carried out may still come true: nobody says "nothing" before.
  const isUncertain = use.fleet.strays.some((stray) => stray.isUncertain);
  const { undestroyed, goneAt } = await room.log.stage("Destroy the machines", () =>
    destroySession(destroying, { prefix: use.prefix, known, isUncertain }),
  );
  signal.throwIfAborted();
  for (const { n, instanceId, report } of alive) {
    const gone = goneAt?.get(instanceId ?? Number.NaN);
    if (report === undefined || gone === undefined) continue;
    report.at.gone = gone;
    report.isGone = true;
    report.last = `destroyed when the step failed (${report.last})`;
    use.ledger.report(n, report);
  }
  return undestroyed.length === 0;
}
