/** A job of the attempt, as the table looks at it. */
export interface SeenJob {
  id: number;
  name: string;
  status: string;
  conclusion: string | undefined;
  labels: readonly string[];
  runnerId: number | undefined;
  runnerName: string | undefined;
  url: string | undefined;
}

/** What tells our jobs from the others, and this very job from both. */
export interface Whose {
  /** The label that a GPU job asks for. */
  runnerLabel: string;
  /** Ids of the runners that this use registered. */
  runnerIds: ReadonlySet<number>;
  /** This job: its id if the platform tells it, the name of the runner it runs on, its key in the workflow. */
  own: { checkRunId: number | undefined; runnerName: string | undefined; jobName: string };
}

/** The jobs of one look, counted. */
export interface JobCounts {
  /** Ours, and `queued`: they ask for a runner now. */
  waiting: number;
  /** Labels that a waiting job of ours asks for beside ours: no runner of this use has them. */
  foreignLabels: readonly string[];
  /** Ours, in progress. */
  running: number;
  /** Ours and completed: their conclusions. */
  completed: readonly string[];
  /** Ours or not, still to come or under way, this very job left out; waiting and running ones of ours not counted. */
  open: number;
  /** Other uses' GPU jobs of this attempt that wait, too; they are among the open ones. */
  rivals: number;
  /** All jobs but this one. */
  others: number;
  /** A link to a job of ours, for messages. */
  url: string | undefined;
}

/** Counts the jobs of one look. */
export function countJobs(jobs: readonly SeenJob[], whose: Whose): JobCounts {
  const own = findOwnJob(jobs, whose.own);
  const others = jobs.filter((job) => job !== own);
  const ours = others.filter((job) => isOurs(job, whose));
  const waiting = ours.filter((job) => job.status === "queued");
  const running = ours.filter((job) => job.status === "in_progress");
  return {
    waiting: waiting.length,
    foreignLabels: [...new Set(waiting.flatMap((job) => job.labels.filter((label) => !isLabel(label, whose))))],
    running: running.length,
    completed: ours.filter((job) => job.status === "completed").map((job) => job.conclusion ?? "unknown"),
    open: others.filter((job) => job.status !== "completed").length - waiting.length - running.length,
    rivals: others.filter((job) => job.status === "queued" && !isOurs(job, whose) && isOfAttempt(job, whose)).length,
    others: others.length,
    url: ours[0]?.url,
  };
}

/** Labels are compared as GitHub does, whatever their case. A job that already runs on our runner is ours whatever it asked for. */
function isOurs(job: SeenJob, whose: Whose): boolean {
  if (job.runnerId !== undefined && whose.runnerIds.has(job.runnerId)) return true;
  return job.labels.some((label) => isLabel(label, whose));
}

/** Asks for the machine of another use in the same attempt. */
function isOfAttempt({ labels }: SeenJob, { runnerLabel }: Whose): boolean {
  const attempt = /^gpu-\d+-\d+/.exec(runnerLabel)?.[0];
  return attempt !== undefined && labels.some((label) => label === attempt || label.startsWith(`${attempt}-`));
}

function isLabel(label: string, { runnerLabel }: Whose): boolean {
  return label.toLowerCase() === runnerLabel.toLowerCase();
}

/** The most certain sign first: the id, then the runner that it runs on, then its name. */
function findOwnJob(jobs: readonly SeenJob[], own: Whose["own"]): SeenJob | undefined {
  return (
    jobs.find((job) => job.id === own.checkRunId) ??
    jobs.find(
      (job) => job.status === "in_progress" && own.runnerName !== undefined && job.runnerName === own.runnerName,
    ) ??
    jobs.find((job) => job.name === own.jobName)
  );
}
