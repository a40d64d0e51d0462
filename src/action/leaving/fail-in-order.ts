import { cancelRunOf } from "../../fleet/decide-after-failure.ts";
import { waitForOthers } from "../../fleet/wait-for-others.ts";
import { KnownError } from "../../known-error.ts";
import { destroyUse } from "../../machine/destroy-use.ts";
import { systemClock } from "../../time/clock.ts";
import { CheckFailedError } from "../check/checklist.ts";
import { holdingDeps } from "../hold-machine.ts";
import { type RunInputs, readInputs, readRunInputs } from "../inputs/inputs.ts";
import type { Use } from "../open-use.ts";
import { actionsLog } from "../platform/actions-log.ts";
import { LabelInUseError } from "../platform/label-in-use.ts";
import { ledgerWriter } from "../platform/ledger.ts";
import { noteFailure } from "../platform/main-end.ts";
import { openGithub, openService } from "../platform/rooms.ts";
import { readRunContext } from "../platform/run-context.ts";
import { reportFailure } from "../report/report-failure.ts";

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
  noteFailure(error);
  if (signal.aborted || error instanceof CheckFailedError) return;
  // Another use serves the jobs of that label: it is for that one to say what becomes of them.
  if (error instanceof LabelInUseError) return;
  const inputs = readRunInputs();
  if (inputs["if-no-machine"] === "leave" || inputs["job-token"] === "" || !inputs.knowsLabel) return;
  try {
    if ((await waitForEnd(inputs, progress, signal)) === "cancel") ledgerWriter.cancelRun();
  } catch (fault) {
    // The failure is told; why nothing more could be done about the waiting job, post finds out and tells.
    if (!signal.aborted && !(fault instanceof KnownError)) throw fault;
  }
}

function waitForEnd(inputs: RunInputs, progress: Progress, signal: AbortSignal): Promise<"cancel" | "leave"> {
  const run = readRunContext(inputs.name);
  const rooms = { clock: systemClock, log: actionsLog, ...openGithub(inputs, run) };
  const runnerIds = progress.use?.runnerIds ?? new Set<number>();
  return waitForOthers(holdingDeps({ inputs, run, rooms, runnerIds, signal }), {
    cancelRun: cancelRunOf(inputs["if-no-machine"]),
    begunAt: progress.begunAt,
    isRented: () => isRented(progress.use),
    attemptHasMachine: () => attemptHasMachine(progress.use, signal),
    giveBack: () => giveBack(progress.use, signal),
  });
}

/** Undefined: the service can't be asked, or this use came too early to an end to know its own label. */
async function attemptHasMachine(use: Use | undefined, signal: AbortSignal): Promise<boolean | undefined> {
  if (use === undefined) return undefined;
  const attempt = use.prefix.slice(0, use.prefix.lastIndexOf("."));
  await using room = openService(readInputs());
  try {
    const instances = await room.service.listInstances(signal);
    return instances.some(({ label }) => label?.startsWith(`${attempt}.`));
  } catch (error) {
    if (!(error instanceof KnownError)) throw error;
    return undefined;
  }
}

function isRented(use: Use | undefined): boolean {
  return use !== undefined && !use.isGivenBack && (use.rented.size > 0 || use.fleet.mayGrow);
}

/** True when nothing of this use is rented any more. A machine whose runner is busy has a job: it is kept. */
async function giveBack(use: Use | undefined, signal: AbortSignal): Promise<boolean> {
  if (use === undefined) return true;
  for (const id of use.runnerIds) if ((await use.runners.remove(id, signal)) === "busy") return false;
  await using room = openService(readInputs());
  const known = [...use.rented].map((id) => ({ id, createdAt: undefined }));
  const destroying = { ...room, until: systemClock.now() + GIVE_BACK_WITHIN_MS, signal };
  const { undestroyed, goneAt } = await room.log.stage("Destroy the machine", () =>
    destroyUse(destroying, { prefix: use.prefix, known, isUncertain: use.fleet.mayGrow }),
  );
  signal.throwIfAborted();
  for (const [n, report] of use.reports) {
    if (report.at.gone !== undefined || !goneAt?.has(report.instanceId)) continue;
    report.at.gone = goneAt.get(report.instanceId);
    report.last = `destroyed when the step failed (${report.last})`;
    use.ledger.report(n, report);
  }
  use.isGivenBack = undestroyed.length === 0;
  return use.isGivenBack;
}
