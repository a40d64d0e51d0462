import { formatDuration } from "../shared/duration.ts";
import { oneLine } from "../shared/foreign-text.ts";
import { HoldError } from "./fleet-errors.ts";
import type { End } from "./plan/plan-end.ts";
import type { Fleet } from "./state/fleet.ts";
import type { FleetOptions } from "./state/policy.ts";

/** An end that lies in the jobs of the run, or in how they are read. */
export type JobsEnd = Exclude<End, { kind: "ready" | "none-came" | "over" | "stopped" }>;

interface Told {
  policy: FleetOptions;
  runnerLabel: string;
  /** A sentence on what may still bill. */
  billing: string;
}

type Tell<Kind> = (end: Extract<JobsEnd, { kind: Kind }>, told: Told) => { what: string; hint: string };

const SENTENCES: { [Kind in JobsEnd["kind"]]: Tell<Kind> } = {
  alone: () => ({
    what: "No other job is visible in this run.",
    hint: "If the GPU job has `needs:` on this one, remove it; for this job's own later steps set `hold: false`.",
  }),
  unreadable: ({ why }) => ({
    what: `The jobs of this run could not be read for 10 minutes and more: ${why}.`,
    hint: "Look at the GPU job itself, and at githubstatus.com.",
  }),
  "none-asked": ({ open }, { policy, runnerLabel }) => ({
    what: `No job asked for the GPU runner ${runnerLabel} within ${waitedFor(policy)}.`,
    hint: `Give this job the same \`needs:\` as the GPU jobs, or raise wait-for-job.${describeOpen(open)}`,
  }),
  "too-few": ({ came, expected }) => ({
    what: `${came} of ${expected} GPU jobs came.`,
    hint: "Correct `jobs`, or give this job the same `needs:` as the GPU jobs.",
  }),
  held: ({ job }, { policy }) => ({
    what: `'${nameOf(job)}' waited for an approval or its concurrency group for all of ${waitedFor(policy)}.`,
    hint: "Put the environment on a small job that this one and the GPU job need.",
  }),
  unseen: ({ job }) => ({
    what: `'${nameOf(job)}' waits beside a machine that is ready: GitHub does not give it our runner.`,
    hint: "Check which repositories the runner group may serve (public ones are off by default), and the labels in runs-on.",
  }),
};

/** The error of such an end. */
export function jobsError(end: JobsEnd, told: Told): HoldError {
  const { hint, what } = (SENTENCES[end.kind] as Tell<JobsEnd["kind"]>)(end, told);
  return new HoldError(`${what} ${told.billing}`, { hint });
}

function nameOf(job: { name: string } | undefined): string {
  return oneLine(job?.name ?? "", 100);
}

function describeOpen(jobs: Fleet["jobs"]): string {
  const labels = [...new Set((jobs?.othersOpen ?? []).flatMap((job) => job.labels))].slice(0, 8);
  return labels.length === 0 ? "" : ` Open jobs ask for: ${labels.map((label) => oneLine(label, 60)).join(", ")}.`;
}

function waitedFor({ idleMs, waitForJobMs }: FleetOptions): string {
  return waitForJobMs === 0
    ? `idle-timeout (${formatDuration(idleMs)})`
    : `wait-for-job (${formatDuration(waitForJobMs)})`;
}
