import * as core from "@actions/core";
import type { Fleet, LostJob } from "../../fleet/state/fleet.ts";
import { type GpuJob, isBad } from "../../jobs/gpu-jobs.ts";
import { oneLine, withoutCommands } from "../../text/foreign-text.ts";
import { LOST_MACHINE_TITLE, markLostJobs } from "../../text/lost-jobs.ts";

/** An annotation of the step. */
export interface JobAnnotation {
  title: string;
  message: string;
}

/** GitHub keeps ten of a level per step, and one is the step's own error. */
const MOST = 9;
const FAILED_TITLE = "GPU job failed";

/**
 * Annotates every machine that was lost under a job, and every job that failed. `isRed`: this job
 * fails, too; the sweep looks for losses in no other.
 */
export function annotateJobs(fleet: Pick<Fleet, "jobs" | "lost">, isRed: boolean): void {
  const annotate = isRed ? core.error : core.warning;
  for (const { message, title } of jobAnnotations(fleet)) annotate(withoutCommands(message), { title });
}

/** The lost ones first: a re-run hangs on them. */
export function jobAnnotations({ jobs, lost }: Pick<Fleet, "jobs" | "lost">): JobAnnotation[] {
  // One whose time was over failed by its length: the next machine would not do better.
  const gone = lost.filter(({ cutBy }) => cutBy === undefined);
  const lostIds = new Set(lost.map(({ id }) => id));
  const bad = (jobs?.ours ?? []).filter((job) => isBad(job) && !lostIds.has(job.id));
  const failed = inFew(bad, bad.length === 0 ? 0 : Math.max(1, MOST - gone.length));
  return [
    ...inFew(gone, MOST - failed.length).map(lostOnes),
    ...failed.map((some) => ({
      title: FAILED_TITLE,
      message: `${some.map(badOne).join(", ")}; the machine was fine. Look at the job's own log. "Re-run failed jobs" rents again.`,
    })),
  ];
}

function lostOnes(some: readonly LostJob[]): JobAnnotation {
  const sentence = `${some.map(lostOne).join(". ")}: not your tests. ${some.length === 1 ? "It is" : "They are"} destroyed. Use "Re-run failed jobs": another machine is rented.`;
  const ids = some.map(({ id }) => id);
  // The sweep looks for the mark at the very end.
  return { title: LOST_MACHINE_TITLE, message: markLostJobs(sentence, ids) };
}

function lostOne({ instanceId, n, went, ...job }: LostJob): string {
  return `Machine ${n} (instance ${instanceId ?? "unknown"}) ${went} under ${named(job)}`;
}

function badOne(job: GpuJob): string {
  return `${named(job)} ended as ${oneLine(job.conclusion ?? "unknown", 40)}`;
}

function named({ name, url }: Pick<LostJob, "name" | "url">): string {
  return `'${oneLine(name, 100)}'${url ? ` (${oneLine(url)})` : ""}`;
}

/** One group for each thing; the last one has all that there is no more room for. */
function inFew<T>(things: readonly T[], most: number): T[][] {
  const alone = things.length <= most ? things.length : most - 1;
  const rest = things.slice(alone);
  return [...things.slice(0, alone).map((thing) => [thing]), ...(rest.length > 0 ? [rest] : [])];
}
