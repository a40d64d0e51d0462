import type { End } from "../fleet/end.ts";
import type { FleetOptions } from "../fleet/options.ts";
import { billingOf, recordsOf } from "../fleet/recording/records.ts";
import { STOPS } from "../fleet/renting/stop.ts";
import type { Told } from "../fleet/renting/stop-errors.ts";
import { machineFacts } from "../fleet/stage.ts";
import type { DeepReadonly, LostJob } from "../fleet/state.ts";
import { type GpuJob, type GpuJobs, jobNames, jobWithPage, type MistypedJob } from "../github/jobs.ts";
import { runsOnLine } from "../github/mistyped-label.ts";
import { totalCost } from "../money/cost.ts";
import { formatAbout } from "../money/price.ts";
import type { IfNoMachine } from "../release/session.ts";
import { formatDuration } from "../shared/duration.ts";
import { oneLine } from "../shared/foreign-text.ts";
import { capitalized } from "../shared/text.ts";
import type { ErrorKind, UserError } from "../shared/user-error.ts";
import { GpuJobFailedError, HoldError, MachineLostError, wasSeenAfter, withSetup } from "./end-errors.ts";
import { describeLabels } from "./progress-log.ts";

/** The facts that the message about an end needs. */
interface Ended extends Omit<Told, "jobs" | "after"> {
  /** The label that the GPU jobs ask for. */
  runnerLabel: string;
  failWithJob: boolean;
  ifNoMachine: IfNoMachine;
}

/** Makes the error by which this job fails; undefined if all went well. */
export function errorOf(end: End, ended: Ended): UserError | undefined {
  switch (end.kind) {
    case "ready":
    case "none-came":
      return undefined;
    case "over":
      return overError(end, ended);
    case "stopped":
      return STOPS[end.stop.id].error({ ...ended, jobs: end.jobs, after: afterStop(end.jobs, ended) }, end.stop.detail);
    default: {
      const { what, ...options } = (SENTENCES[end.kind] as SentenceOf<JobsEnd["kind"]>)(end, ended);
      return new HoldError(`${what} ${billingOf(ended.fleet)}`, options);
    }
  }
}

function overError(
  { bad, lost, refused }: Extract<End, { kind: "over" }>,
  { failWithJob, fleet }: Ended,
): UserError | undefined {
  const billing = billingOf(fleet);
  const cut = lost.find(({ cutBy }) => cutBy !== undefined);
  if (cut !== undefined) return outOfTime(cut, billing);
  if (lost.length > 0) return new MachineLostError(lost, billing);
  const [other] = refused;
  if (other !== undefined)
    return new HoldError(`${describeLabels(other)} ${billing}`, {
      hint: "Let runs-on ask for that one label, as the README shows it, without self-hosted.",
    });
  return failWithJob && bad.length > 0
    ? new GpuJobFailedError(withSetup(bad, fleet), billing, wasSeenAfter(bad, fleet))
    : undefined;
}

const TIME_OVER = {
  "max-lifetime": {
    why: "max-lifetime is over, and the machine was given back",
    hint: "Raise max-lifetime, or make the GPU job shorter; its own timeout-minutes should be below max-lifetime.",
  },
  "max-cost": {
    why: "max-cost is used up: it had cut the machine's time below max-lifetime. The machine was given back",
    hint: "Raise max-cost, or make the GPU job shorter; the log says, where it asks for the machine, how long max-cost lets it live.",
  },
};

function outOfTime(job: LostJob, billing: string): HoldError {
  const { why, hint } = TIME_OVER[job.cutBy ?? "max-lifetime"];
  const link = job.url ? ` (${job.url})` : "";
  return new HoldError(`${why} while ${jobWithPage({ name: job.name })} ran on it${link}. ${billing}`, { hint });
}

/** An end that lies in the jobs of the run, or in how they are read. */
type JobsEnd = Exclude<End, { kind: "ready" | "none-came" | "over" | "stopped" }>;
type SentenceOf<Kind> = (
  end: Extract<JobsEnd, { kind: Kind }>,
  ended: Ended,
) => { what: string; hint: string; kind?: ErrorKind };

const SENTENCES: { [Kind in JobsEnd["kind"]]: SentenceOf<Kind> } = {
  "no-other-job": () => ({
    what: "No other job is visible in this run.",
    hint: "If the GPU job has `needs:` on this one, remove it; for this job's own later steps set `hold: false`.",
  }),
  "list-unreadable": ({ why }) => ({
    what: `The jobs of this run could not be read for 10 minutes and more: ${why}.`,
    hint: "Look at the GPU job itself, and at githubstatus.com.",
  }),
  "none-asked": (_end, { fleet, options, runnerLabel }) => ({
    what: `No job asked for the GPU runner ${runnerLabel} within ${waitedFor(options)}.`,
    hint: `Give this job the same \`needs:\` as the GPU jobs, or raise wait-for-job.${describeOpen(fleet.jobs)}`,
  }),
  "none-to-come": (_end, { runnerLabel }) => ({
    what: "No GPU job came.",
    hint: `If it has \`needs:\` on this job, remove it. GitHub skips such a job when this one fails. Otherwise let it ask for this job's runner: \`${runsOnLine(runnerLabel)}\`.`,
  }),
  mistyped: ({ jobs }, { ifNoMachine, runnerLabel }) => ({
    what: `${describeMistyped(jobs, runnerLabel)} ${jobNames(jobs)} ${JOB_FATES[ifNoMachine]}.`,
    hint: `Paste this into the job: \`${runsOnLine(runnerLabel)}\`.`,
    kind: "mistyped-label",
  }),
  "too-few": ({ came, expected }) => ({
    what: `${came} of ${expected} GPU jobs came.`,
    hint: "Correct `jobs`, or give this job the same `needs:` as the GPU jobs.",
  }),
  held: ({ job }, { options }) => ({
    what: `'${oneLine(job?.name ?? "", 100)}' waited for an approval or its concurrency group for all of ${waitedFor(options)}.`,
    hint: "Put the environment on a small job that this one and the GPU job need.",
  }),
};

/** How many jobs with a mistyped label a message names. */
const MOST_MISTYPED = 3;

/** Says which jobs ask for a label that was meant to be our label. */
export function describeMistyped(jobs: readonly DeepReadonly<MistypedJob>[], runnerLabel: string): string {
  const each = jobs.slice(0, MOST_MISTYPED).map((job) => `${jobWithPage(job)} asks for ${oneLine(job.label, 100)}`);
  const more = jobs.length > each.length ? `, and ${jobs.length - each.length} others` : "";
  const labels = jobs.length === 1 ? "that label" : "such a label";
  return `${each.join(", ")}${more}. No runner has ${labels}. This run's runners have ${oneLine(runnerLabel)}.`;
}

/** Says what becomes of a job that can have no machine. */
const JOB_FATES: Readonly<Record<IfNoMachine, string>> = {
  auto: "will be cancelled with the run once no other job is open",
  cancel: "will be cancelled with the run",
  leave: "will wait for up to a day: cancel the run",
};

/** Says which jobs did not run, and what becomes of them. */
export function describeMissed(jobs: readonly { name: string }[], ifNoMachine: IfNoMachine): string {
  return `${jobNames(jobs)} did not run, and ${JOB_FATES[ifNoMachine]}.`;
}

function describeOpen(jobs: DeepReadonly<GpuJobs> | undefined): string {
  const labels = [...new Set((jobs?.othersOpen ?? []).flatMap((job) => job.labels))].slice(0, 8);
  return labels.length === 0 ? "" : ` Open jobs ask for: ${labels.map((label) => oneLine(label, 60)).join(", ")}.`;
}

function waitedFor({ idleTimeout, waitForJob }: FleetOptions): string {
  return waitForJob === 0
    ? `idle-timeout (${formatDuration(idleTimeout)})`
    : `wait-for-job (${formatDuration(waitForJob)})`;
}

/** Says which jobs did not run, what becomes of them, what was spent, and what may still bill. */
function afterStop(jobs: readonly DeepReadonly<GpuJob>[], { fleet, ifNoMachine, now }: Ended): string {
  const missed = jobs.length === 0 ? "" : describeMissed(jobs, ifNoMachine);
  const { bytes, total } = totalCost(recordsOf(fleet), now);
  const uncounted = bytes === undefined ? ", traffic not counted" : "";
  const sum = total === 0 ? `Nothing was spent${uncounted}.` : `${capitalized(formatAbout(total))} spent.`;
  const spent = fleet.machines.some((machine) => machineFacts(machine).isMade) ? sum : "";
  return [missed, spent, billingOf(fleet)].filter(Boolean).join(" ");
}
