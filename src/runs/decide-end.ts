import { LATE } from "../fleet/lifecycle/late.ts";
import { runUrl } from "../github/github.ts";
import { type GpuJob, type GpuJobs, isBad, type JobState, jobNames } from "../github/jobs.ts";
import type { MainEnd } from "../release/ledger.ts";
import type { Session } from "../release/session.ts";
import { formatDuration } from "../shared/duration.ts";
import { firstMatch } from "../shared/rows.ts";

/** What decides about the run of a job that can have no machine, or had it taken. */
export interface RunFacts {
  session: Pick<Session, "inputs" | "run">;
  /** Undefined: the list could not be read. */
  jobs: GpuJobs | undefined;
  /** How main ended; undefined: it could not say. */
  end: MainEnd | undefined;
  /** A failing main waits: how long it has, in milliseconds, and whether it keeps a machine on which a job may run. */
  main?: { waitedMs: number; isKeeping: boolean };
  /** Post had to destroy a machine that was still there. */
  tookAway?: boolean;
}

/** What becomes of the run. Main waits on, post leaves what it finds; a cancel needs two looks that say so. */
export interface RunDecision {
  do: "wait" | "cancel" | "leave";
  /** A sentence for people. Of a cancel by post: if it does not come to it after all. */
  tell?: string | undefined;
  /** The jobs that this job must be red for, as it had ended well and took their machine. */
  failed?: string | undefined;
}

/** How long main waits for the run's other jobs, which are worth more than the one that waits. */
const OTHERS_MAY_TAKE_MS = 1_800_000;

/** How long GitHub may be away; after that the run is left to post and the sweep. */
const OUTAGE_MAY_TAKE_MS = 600_000;

type CountedFacts = RunFacts & { waiting: GpuJobs["ours"]; running: GpuJobs["ours"] };

type Row = (facts: CountedFacts) => RunDecision["do"] | undefined;

const ROWS: readonly Row[] = [
  // Post would take the machine at once.
  (facts) => (facts.main?.isKeeping ? whileMain(facts) : undefined),
  ({ session }) => (session.inputs.ifNoMachine === "leave" ? "leave" : undefined),
  // No answer is no evidence; but it must not keep this job for ever either.
  (facts) => (facts.jobs === undefined ? whileMain(facts) : undefined),
  ({ waiting }) => (waiting.length === 0 ? "leave" : undefined),
  (facts) => (openBeside(facts) === 0 ? "cancel" : undefined),
];

/** Waits as long as main may, and no longer. */
function whileMain({ jobs, main }: CountedFacts): "wait" | "leave" {
  return main !== undefined && main.waitedMs < mayTakeMs(jobs) ? "wait" : "leave";
}

function mayTakeMs(jobs: GpuJobs | undefined): number {
  return jobs === undefined ? OUTAGE_MAY_TAKE_MS : OTHERS_MAY_TAKE_MS;
}

/** Decides what becomes of the run. Main asks at each look after a failure, and post twice. */
export function decideEnd(facts: RunFacts): RunDecision {
  if (!hasJobs(facts)) return { do: "leave" };
  const jobs = countedJobs(facts);
  const counted = { ...facts, jobs, running: inState(jobs, "running"), waiting: inState(jobs, "waiting") };
  const decision = firstMatch(ROWS, counted) ?? whileMain(counted);
  if (facts.main !== undefined) return { do: decision, tell: toldByMain(counted, decision) };
  return { do: decision, tell: toldByPost(counted), failed: isRed(counted) ? takenJobs(counted) : undefined };
}

/**
 * Marks the jobs that post robbed: they ended badly after its start, as far as clocks can tell. A runner that is told
 * to end fails its job within seconds. `spared`: the runners of machines that it did not destroy.
 */
export function withRobbed(jobs: GpuJobs, spared: readonly number[], start: number): GpuJobs {
  const isLate = ({ completedAt = 0 }: GpuJob) => completedAt >= start - LATE.clocks;
  const wasTaken = ({ runnerId }: GpuJob) => runnerId !== undefined && !spared.includes(runnerId);
  const isRobbed = (job: GpuJob) => isBad(job) && isLate(job) && wasTaken(job);
  return { ...jobs, ours: jobs.ours.map((job) => (isRobbed(job) ? { ...job, state: "robbed" } : job)) };
}

/** Says from a job in which state post took the machine, if it did. */
export function takenFrom(
  jobs: GpuJobs | undefined,
  { jobStatus, tookAway }: { jobStatus: string; tookAway: boolean },
): "running" | "robbed" | "waiting" | undefined {
  const state = (["running", "robbed", "waiting"] as const).find((each) => inState(jobs, each).length > 0);
  return tookAway && (state === "running" || jobStatus === "success") ? state : undefined;
}

/**
 * False if the jobs that wait are not ours: a check rents for nobody, nobody knows the label of a
 * `name` that can't be read, and if the label is in use another session serves its jobs.
 */
export function hasJobs({ end, session: { inputs } }: Pick<RunFacts, "end" | "session">): boolean {
  return !inputs.check && inputs.knowsLabel && !(end?.kind === "failed" && end.what === "label-in-use");
}

/** Lists the jobs of ours in this state; none if they can't be seen. */
export function inState(jobs: GpuJobs | undefined, state: JobState): GpuJobs["ours"] {
  return jobs?.ours.filter((job) => job.state === state) ?? [];
}

/** Counts jobs that were meant to ask for our label as ours, if main ended on them. */
function countedJobs({ end, jobs }: RunFacts): GpuJobs | undefined {
  if (jobs === undefined || end?.kind !== "failed" || end.what !== "mistyped-label") return jobs;
  const { mistyped, othersOpen, ours } = jobs;
  // One that runs has found a runner with that label.
  const isOther = ({ labels, status }: (typeof othersOpen)[number]) =>
    status === "in_progress" || !mistyped.some(({ label }) => labels.includes(label));
  return { ...jobs, ours: [...ours, ...mistyped], othersOpen: othersOpen.filter(isOther), mistyped: [] };
}

/**
 * Counts the open jobs, other than those that wait, that keep a run from its cancel. A job of ours that waits for an
 * approval is open, too. `cancel` spares only one of ours that runs, or whose lost machine GitHub has not missed yet.
 */
function openBeside({ jobs, running, session }: CountedFacts): number {
  const others = (jobs?.othersOpen.length ?? 0) + inState(jobs, "held").length;
  return running.length + (session.inputs.ifNoMachine === "cancel" ? 0 : others);
}

/** True if main succeeded, and post took the machine. The job's status alone is not enough, as `continue-on-error` hides a failure. */
function isRed({ end, session, tookAway }: CountedFacts): boolean {
  const hasSucceeded = session.inputs.jobStatus === "success" && end?.kind !== "failed" && end?.kind !== "stopped";
  return tookAway === true && hasSucceeded;
}

function toldByMain(facts: CountedFacts, decision: RunDecision["do"]): string | undefined {
  const { jobs, main, session, waiting } = facts;
  if (main?.isKeeping)
    return `A job runs on a machine, or may run: it is kept until that is over, for ${formatDuration(mayTakeMs(jobs))} at most.`;
  if (waiting.length === 0) return undefined;
  const names = `No machine can be had for ${jobNames(waiting)}`;
  const left = `${names}, and other jobs of this run are open: the sweep ends the run when they are over.`;
  if (decision === "leave") return session.inputs.ifNoMachine === "auto" ? left : undefined;
  const link = waiting[0]?.url ? ` (${waiting[0].url})` : "";
  const when = decision === "wait" ? ` when ${othersOf(openBeside(facts))}` : "";
  return `${names}${link}. Nothing is rented. The run will be cancelled${when}.`;
}

function othersOf(open: number): string {
  const which = open === 1 ? "its other open job is" : `its ${open} other open jobs are`;
  return `${which} over; after ${formatDuration(OTHERS_MAY_TAKE_MS)} that is left to the sweep`;
}

/** Says which jobs post leaves, unless the error of main says that they will wait, as `if-no-machine: leave` wants it. */
function toldByPost(facts: CountedFacts): string | undefined {
  const { end, session, waiting } = facts;
  const what = openJobs(facts);
  const isSaid = end?.kind === "failed" && end.tellsFate === true && session.inputs.ifNoMachine === "leave";
  if (what === undefined || isSaid) return undefined;
  const or = waiting.length > 0 ? "its job waits for up to a day" : "GitHub ends its job after about ten minutes";
  return `No machine is left, while ${what}. Cancel the run, or ${or}: ${runUrl(session.run, session.run.runId)}`;
}

/** Names the jobs from which post took the machine. */
function takenJobs(facts: CountedFacts): string | undefined {
  const robbed = inState(facts.jobs, "robbed");
  if (facts.running.length > 0 || robbed.length === 0) return openJobs(facts);
  return `${jobNames(robbed)} ${robbed.length === 1 ? "was" : "were"} running or had just ended badly`;
}

function openJobs({ running, waiting }: CountedFacts): string | undefined {
  const named = running.length > 0 ? running : waiting;
  const did = running.length > 0 ? "running" : "waiting for it";
  return named.length === 0 ? undefined : `${jobNames(named)} ${named.length === 1 ? "was" : "were"} ${did}`;
}
