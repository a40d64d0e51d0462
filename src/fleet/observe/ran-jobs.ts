import type { RanJob } from "../../create/machine-record.ts";
import type { GpuJob } from "../../github/jobs.ts";
import { oneLine } from "../../shared/foreign-text.ts";
import type { Machine } from "../state/machine.ts";

/** A list that lacks a job takes nothing from what was seen, but for one that was taken back. */
export function noteRan({ report }: Machine, ran: RanJob[], isTakenBack: boolean): void {
  if (report === undefined) return;
  const isMore = ran.length > 0 && ran.length >= (report.jobs?.length ?? 0);
  if (isMore || isTakenBack) report.jobs = ran.length > 0 ? ran : undefined;
}

/** A job for the report, as GitHub shows it. */
export function ranJob({ completedAt, conclusion, name, startedAt, state }: GpuJob): RanJob {
  const begun = { name: oneLine(name, 100), started: startedAt };
  if (state !== "over") return begun;
  const isTimed = startedAt !== undefined && completedAt !== undefined;
  const seconds = isTimed ? Math.max(0, Math.round((completedAt - startedAt) / 1000)) : undefined;
  return { ...begun, conclusion, seconds };
}
