import type { Fleet, LostJob } from "../fleet/state.ts";
import { LOST_MACHINE_TITLE, lostJobsMark } from "../github/annotations.ts";
import { type GpuJob, isBad, jobWithPage } from "../github/jobs.ts";
import { oneLine } from "../shared/foreign-text.ts";
import { firstSentence } from "../shared/text.ts";
import { UserError } from "../shared/user-error.ts";
import { type FailedEarly, howFailed, wasSeenAfter, withSetup } from "./end-errors.ts";
import type { StepPage } from "./step-page.ts";

/**
 * Describes what was thrown: `hint` is what to do, as a sentence, `heading` that of docs/troubleshooting.md, `mark` what
 * the sweep reads at the very end. `billing`: what may still bill, for errors that don't say it.
 */
export function describeFailure(error: unknown, billing: string) {
  if (error instanceof UserError) {
    const { hint, mark, name: heading } = error;
    return { title: titleOf(error), heading, message: error.and(billing).message, hint, mark };
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return {
    title: "Bug",
    message: `This is a bug of ephemeral-gpu-runner: ${text} ${billing}`.trim(),
    hint: "report it with this log, and see in the service's console that nothing is rented.",
    heading: undefined,
    mark: undefined,
  };
}

/** A longer title is cut by GitHub, wherever that falls. */
const LONGEST_TITLE = 80;

/** Makes a title of what an error says first, without its reasons: `No GPU job came (HoldError)`. */
function titleOf({ message, name }: UserError): string {
  const bare = message
    .split("\n", 1)
    .join("")
    .replace(/ \([^()]*\)/g, "");
  const [subject = ""] = firstSentence(bare).split(/: |; |, and |\. (?=')|[.!?:]$/);
  const few = subject.length > LONGEST_TITLE ? `${subject.slice(0, LONGEST_TITLE - 1)}…` : subject;
  return `${few} (${name})`;
}

/** What annotations tell of. */
type AnnotatedFleet = Pick<Fleet, "instancesAt" | "jobs" | "lost" | "machines">;

type JobAnnotation = Record<"title" | "message", string>;

/** GitHub keeps ten of a level per step, and one is the step's own error. */
const MOST = 9;
const FAILED_TITLE = "GPU job failed";

/**
 * Annotates every machine that was lost under a job and every job that failed, except those that
 * the step's own error names. A lost machine also fails this job: the sweep looks for losses in
 * failed jobs only.
 */
export function annotateJobs(
  page: Pick<StepPage, "annotate">,
  fleet: AnnotatedFleet,
  error: UserError | undefined,
): void {
  const level = error === undefined ? "warning" : "error";
  for (const { message, title } of jobAnnotations(fleet, error?.jobIds)) page.annotate(level, title, message);
}

/** Makes the annotations, those of lost machines first: re-runs depend on them. */
export function jobAnnotations(
  { instancesAt, jobs, lost, machines }: AnnotatedFleet,
  named: readonly number[] = [],
): JobAnnotation[] {
  // A job that was cut off at a deadline is left out: it took too long, and another machine would not help.
  const gone = lost.filter(({ cutBy, id }) => cutBy === undefined && !named.includes(id));
  const knownIds = new Set([...lost.map(({ id }) => id), ...named]);
  const others = (jobs?.ours ?? []).filter((job) => isBad(job) && !knownIds.has(job.id));
  const bad = withSetup(others, { machines });
  const isSeen = wasSeenAfter(others, { instancesAt });
  const failed = inFew(bad, bad.length === 0 ? 0 : Math.max(1, MOST - gone.length));
  return [...inFew(gone, MOST - failed.length).map(lostOnes), ...failed.map((some) => failedOnes(some, isSeen))];
}

function lostOnes(some: readonly LostJob[]): JobAnnotation {
  const each = some.map(({ instanceId, machineNo, went, ...job }) => {
    return `Machine ${machineNo} (instance ${instanceId ?? "unknown"}) ${went} under ${namedIn(some, job)}`;
  });
  const sentence = `${each.join(". ")}: not your tests. Use "Re-run failed jobs": another machine is rented.`;
  const ids = some.map(({ id }) => id);
  // The sweep looks for the mark at the very end.
  return { title: LOST_MACHINE_TITLE, message: `${sentence} ${lostJobsMark(ids)}` };
}

function failedOnes(some: readonly (GpuJob & FailedEarly)[], isSeen: boolean): JobAnnotation {
  const { hint, what } = howFailed(some, isSeen);
  const ended = some.map((job) => `${namedIn(some, job)} ended as ${oneLine(job.conclusion ?? "unknown", 40)}`);
  return { title: FAILED_TITLE, message: `${ended.join(", ")}; ${what}. ${hint} "Re-run failed jobs" rents again.` };
}

/** Names a job, with its link if there is room for one for each: GitHub cuts an annotation at 4,096 characters. */
function namedIn(some: readonly unknown[], { name, url }: Pick<LostJob, "name" | "url">): string {
  return jobWithPage({ name, url: some.length <= MOST ? url : undefined });
}

/** Divides things into at most `most` groups of about the same size. */
function inFew<T>(things: readonly T[], most: number): T[][] {
  const groups = Math.min(things.length, most);
  const begin = (index: number) => Math.floor((index * things.length) / groups);
  return Array.from({ length: groups }, (_none, index) => things.slice(begin(index), begin(index + 1)));
}
