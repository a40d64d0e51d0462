import type { IfNoMachine } from "../action/fleet-inputs.ts";
import { type GpuJobs, type JobMatcher, jobNames, type SeenJob, sortJobs } from "../github/jobs.ts";
import type { Clock } from "../shared/clock.ts";
import { formatDuration } from "../shared/duration.ts";
import type { Log } from "../shared/log.ts";
import { CONFIRMED_AFTER_MS, decideLeaving, OTHERS_MAY_TAKE_MS } from "./leave-run.ts";

const LOOK_EVERY_MS = 15_000;

/** `giveBack` is called while something is rented; false when something may still bill. */
export interface WaitForOthers {
  ifNoMachine: IfNoMachine;
  clock: Clock;
  log: Log;
  signal: AbortSignal;
  whose: JobMatcher;
  listJobs: (signal: AbortSignal) => Promise<readonly SeenJob[] | undefined>;
  giveBack: (jobs: GpuJobs | undefined) => Promise<boolean>;
}

/**
 * After a failure: waits for the other jobs of the attempt to be over, so that a cancel of the run
 * takes nothing from them.
 */
export async function waitForOthers(wait: WaitForOthers): Promise<"cancel" | "leave"> {
  const { clock, ifNoMachine, listJobs, signal, whose } = wait;
  const start = clock.now();
  const told = new Set<string>();
  for (let since = Number.POSITIVE_INFINITY; ; ) {
    const listed = await listJobs(signal);
    const jobs = listed && sortJobs(listed, whose);
    if (!(await wait.giveBack(jobs))) return "leave";
    const decision = decideLeaving({ ifNoMachine, jobs, waitedMs: clock.now() - start });
    if (decision === "leave") return tellLeft(wait, jobs);
    since = decision === "cancel" ? Math.min(since, clock.now()) : Number.POSITIVE_INFINITY;
    if (clock.now() - since >= CONFIRMED_AFTER_MS) return "cancel";
    tellWaiting(wait, jobs, decision, told);
    await clock.sleep(LOOK_EVERY_MS, signal);
  }
}

function tellLeft({ ifNoMachine, log }: WaitForOthers, jobs: GpuJobs | undefined): "leave" {
  const waiting = jobs?.ours.filter(({ state }) => state === "waiting") ?? [];
  if (waiting.length > 0 && ifNoMachine === "auto")
    log.warning(
      `No machine can be had for ${jobNames(waiting)}, and other jobs of this run are open: the sweep ends the run when they are over.`,
    );
  return "leave";
}

function tellWaiting(
  { log }: WaitForOthers,
  jobs: GpuJobs | undefined,
  decision: "cancel" | "wait",
  told: Set<string>,
): void {
  if (jobs === undefined || told.size > 0) return;
  told.add("waits");
  const waiting = jobs.ours.filter(({ state }) => state === "waiting");
  const where = waiting[0]?.url;
  log.warning(
    `No machine can be had for ${jobNames(waiting)}${where ? ` (${where})` : ""}. Nothing is rented. The run will be cancelled${decision === "wait" ? whenOf(jobs) : ""}.`,
  );
}

/** One of ours that waits for an approval is open, too. */
function whenOf({ ours, othersOpen }: GpuJobs): string {
  const open = othersOpen.length + ours.filter(({ state }) => state === "held").length;
  const which = open === 1 ? "its other open job is" : `its ${open} other open jobs are`;
  return ` when ${which} over; after ${formatDuration(OTHERS_MAY_TAKE_MS)} that is left to the sweep`;
}
