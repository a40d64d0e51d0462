/** A job of the attempt, as GitHub lists it. Moments in milliseconds since the epoch. */
export interface SeenJob {
  id: number;
  name: string;
  status: string;
  conclusion: string | undefined;
  labels: readonly string[];
  runnerId: number | undefined;
  runnerName: string | undefined;
  url: string | undefined;
  startedAt?: number | undefined;
  completedAt?: number | undefined;
}

/** The marks that tell our jobs from others, and this very job from both. */
export interface JobMatcher {
  /** The label that a GPU job asks for. */
  runnerLabel: string;
  /** The names of this use's runners begin with it and a hyphen. */
  runnerNamePrefix: string;
  /** This job: its id if told, the name of its runner, its key in the workflow. */
  own: { checkRunId: number | undefined; runnerName: string | undefined; jobName: string };
}

/** `held`: an approval or a concurrency group keeps it. */
export type JobState = "waiting" | "running" | "over" | "held";

/** A job of ours. */
export interface GpuJob extends Omit<SeenJob, "labels" | "status"> {
  state: JobState;
  /** Labels that it asks for beside ours: no runner of this use has them. */
  otherLabels: readonly string[];
}

/** The jobs of one look. */
export interface GpuJobs {
  ours: readonly GpuJob[];
  /** All jobs but ours and this one. */
  others: number;
  /** Those of them that are not over. */
  othersOpen: readonly Pick<SeenJob, "name" | "status" | "labels">[];
}

const STATES = new Map<string, JobState>([
  ["queued", "waiting"],
  ["in_progress", "running"],
  ["completed", "over"],
]);

/** Sorts the jobs of one look. */
export function sortJobs(jobs: readonly SeenJob[], whose: JobMatcher): GpuJobs {
  const own = findOwnJob(jobs, whose.own);
  const others = jobs.filter((job) => job !== own && !isOurs(job, whose));
  return {
    ours: jobs.filter((job) => job !== own && isOurs(job, whose)).map((job) => gpuJob(job, whose)),
    others: others.length,
    othersOpen: others
      .filter(({ status }) => status !== "completed")
      .map(({ name, status, labels }) => ({ name, status, labels })),
  };
}

function gpuJob({ labels, status, ...job }: SeenJob, whose: JobMatcher): GpuJob {
  const otherLabels = [...new Set(labels.filter((label) => !isLabel(label, whose)))];
  return { ...job, state: STATES.get(status) ?? "held", otherLabels };
}

/** Labels compare whatever their case, as with GitHub. All jobs on our runners are ours. */
function isOurs({ labels, runnerName }: SeenJob, whose: JobMatcher): boolean {
  return runnerName?.startsWith(`${whose.runnerNamePrefix}-`) || labels.some((label) => isLabel(label, whose));
}

function isLabel(label: string, { runnerLabel }: JobMatcher): boolean {
  return label.toLowerCase() === runnerLabel.toLowerCase();
}

/** The most certain sign first: the id, then the runner that it runs on, then its name. */
function findOwnJob(jobs: readonly SeenJob[], own: JobMatcher["own"]): SeenJob | undefined {
  return (
    jobs.find((job) => job.id === own.checkRunId) ??
    jobs.find(
      (job) => job.status === "in_progress" && own.runnerName !== undefined && job.runnerName === own.runnerName,
    ) ??
    jobs.find((job) => job.name === own.jobName)
  );
}

/** A job that can't run on our runners, however long it waits. */
export function asksForMore({ state, otherLabels }: GpuJob): boolean {
  return state === "waiting" && otherLabels.length > 0;
}

const GOOD = new Set(["success", "skipped", "neutral"]);

/** True for a job that is over and did not do well. */
export function isBad({ state, conclusion }: GpuJob): boolean {
  return state === "over" && !GOOD.has(conclusion ?? "unknown");
}

/** How long the jobs took that are over, in milliseconds. One that never had a runner took none. */
export function finishedMs(jobs: Pick<GpuJobs, "ours"> | undefined): number[] {
  return (jobs?.ours ?? []).flatMap(({ state, runnerName, startedAt, completedAt }) =>
    state === "over" && runnerName !== undefined && startedAt !== undefined && completedAt !== undefined
      ? [Math.max(0, completedAt - startedAt)]
      : [],
  );
}
