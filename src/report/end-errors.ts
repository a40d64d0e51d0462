import type { Fleet, LostJob } from "../fleet/state.ts";
import { lostJobsMark } from "../github/annotations.ts";
import { type GpuJob, jobWithPage } from "../github/jobs.ts";
import { oneLine } from "../shared/foreign-text.ts";
import { UserError } from "../shared/user-error.ts";

/** Says that the run's jobs make this job fail. The hint names who is to do what. */
export class HoldError extends UserError {}

/** A job that failed. `setup`: what its log says of a `setup` that had failed, as far as that was read. */
export type FailedEarly = Pick<GpuJob, "failedStep"> & { setup?: string | undefined };

/** Adds to failed jobs what their logs say of their machines' `setup`. */
export function withSetup<Job extends GpuJob>(jobs: readonly Job[], { machines }: Pick<Fleet, "machines">) {
  const slots = machines.flatMap((machine) => machine.slots);
  return jobs.map((job) => ({ ...job, setup: slots.find((slot) => slot.job?.id === job.id)?.log?.setup }));
}

/** Says why a job failed in a step that the runner program adds. Undefined: it failed by its own steps. */
function earlyReason({ failedStep, setup }: FailedEarly): { what: string; hint: string } | undefined {
  if (failedStep === "Initialize containers")
    return {
      what: "these machines have no Docker: leave `container:` out, `image` is the container",
      hint: "Leave `container:` and `services:` out of the GPU job. Start in a step, or in setup, what services would have started.",
    };
  // The machine's hook, which refuses a job of this run only after a setup that failed.
  if (failedStep !== "Set up runner") return undefined;
  const what = setup ?? "setup failed on its machine, as the job's log shows";
  return { what, hint: "Look at the output of setup in the GPU job's log, and correct setup." };
}

/** A job that did not succeed. */
type FailedJob = Pick<GpuJob, "id" | "name" | "conclusion" | "url" | "runnerName"> & FailedEarly;

/** How many jobs an error names. GitHub cuts an annotation, whose end says what bills and what to do. */
const MOST_JOBS = 3;

/** Returns the first few, and the number of others. Other annotations name them all. */
function firstOf<T>(things: readonly T[]): [some: T[], others: number] {
  return [things.slice(0, MOST_JOBS), Math.max(0, things.length - MOST_JOBS)];
}

/** True if the list of instances was read after the jobs' ends, so that a lost machine would have shown. */
export function wasSeenAfter(
  jobs: readonly Pick<GpuJob, "completedAt">[],
  { instancesAt }: Pick<Fleet, "instancesAt">,
): boolean {
  return instancesAt === undefined || instancesAt >= Math.max(0, ...jobs.map(({ completedAt = 0 }) => completedAt));
}

/** Says how jobs failed, as the end of a sentence, and where to look. `isSeen`: by `wasSeenAfter`. */
export function howFailed(jobs: readonly FailedJob[], isSeen: boolean): { what: string; hint: string } {
  const early = jobs.find(earlyReason);
  const reason = early && earlyReason(early);
  const whose = early === undefined || jobs.length === 1 ? "" : `of '${oneLine(early.name, 100)}': `;
  if (reason !== undefined) return { ...reason, what: `${whose}${reason.what}` };
  const hint = "Look at the GPU job.";
  // A job that was cancelled in time never had a machine.
  if (jobs.every(({ runnerName }) => runnerName === undefined))
    return { what: `no machine had run ${jobs.length === 1 ? "it" : "them"}`, hint };
  return { what: isSeen ? "the machine was fine" : "Vast.ai did not say whether the machine was fine", hint };
}

/** Says that GPU jobs failed by themselves. This job fails with them, so that "Re-run failed jobs" rents again. */
export class GpuJobFailedError extends UserError {
  /** `isSeen`: by `wasSeenAfter`. */
  constructor(jobs: readonly FailedJob[], billing: string, isSeen = true) {
    const [some, others] = firstOf(jobs);
    const shown = some.map(
      ({ name, conclusion, url }) => `'${oneLine(name, 100)}' (${conclusion ?? "unknown"}${url ? `: ${url}` : ""})`,
    );
    const names = `${shown.join(", ")}${others > 0 ? ` and ${others} more` : ""}`;
    const { hint, what } = howFailed(jobs, isSeen);
    super(`${names} did not succeed; ${what}. ${billing}`, {
      kind: "job-failed",
      jobIds: some.map(({ id }) => id),
      hint: `${hint} This job is red only so that "Re-run failed jobs" rents again.`,
    });
  }
}

const WITHOUT_CREDIT = "Look at the account's credit first: without any the service stops all machines. ";

/** Says that machines were lost while jobs ran on them. The hosts are at fault. */
export class MachineLostError extends UserError {
  constructor(lost: readonly LostJob[], billing: string) {
    const [some, others] = firstOf(lost);
    const shown = some.map((job) => `Instance ${job.instanceId ?? "?"} ${job.went} under ${jobWithPage(job)}`);
    const rest = others > 0 ? [`${others} more ${others === 1 ? "was" : "were"} lost under other jobs`] : [];
    const jobIds = some.map(({ id }) => id);
    super(`${[...shown, ...rest].join(". ")}: not your tests. ${billing}`, {
      kind: "lost",
      jobIds,
      mark: lostJobsMark(jobIds),
      hint: `${lost.some(({ went }) => went === "was stopped by the service") ? WITHOUT_CREDIT : ""}Use "Re-run failed jobs": another machine is rented. The job may show as running until GitHub misses its runner.`,
    });
  }
}
