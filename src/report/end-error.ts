import type { End } from "../fleet/end.ts";
import type { FleetOptions, FleetRequest } from "../fleet/options.ts";
import { billingOf, recordsOf } from "../fleet/recording/records.ts";
import { failuresOf, offersGone } from "../fleet/renting/failures.ts";
import { lastRefusal, standing } from "../fleet/renting/standing.ts";
import { blamed, type ImageFault, isHopeless, mayBeProbe, type Stop } from "../fleet/renting/stop.ts";
import { isAlive, type Machine, mayHoldJob, wasMade } from "../fleet/stage.ts";
import type { DeepReadonly, Fleet, LostJob, NoOffers } from "../fleet/state.ts";
import { type GpuJob, type GpuJobs, jobNames, type MistypedJob } from "../github/jobs.ts";
import { runsOnLine } from "../github/mistyped-label.ts";
import { createError } from "../machine/errors.ts";
import { type Cost, totalCost } from "../money/cost.ts";
import { BudgetError, MonthlyCostError } from "../money/errors.ts";
import { budgetLeft } from "../money/max-cost.ts";
import { formatAbout } from "../money/price.ts";
import { NoOfferError } from "../offers/errors.ts";
import type { IfNoMachine } from "../release/session.ts";
import { formatDuration } from "../shared/duration.ts";
import { oneLine } from "../shared/foreign-text.ts";
import { capitalized } from "../shared/text.ts";
import { type ErrorKind, faultError, type UserError } from "../shared/user-error.ts";
import { withSetup } from "./before-first-step.ts";
import {
  AttemptsExhaustedError,
  CreatesUsedUpError,
  describeFailures,
  GpuJobFailedError,
  HoldError,
  ImageMissingError,
  ImageUnusableError,
  MachineLostError,
  OffersExhaustedError,
  ProbeFailedError,
  ReadyTimeoutError,
  RunnerRefusedError,
  wasSeenAfter,
} from "./end-errors.ts";
import { describeLabels } from "./progress-log.ts";

/** The facts that the message about an end needs. */
interface Ended {
  fleet: Fleet;
  options: FleetOptions;
  request: FleetRequest;
  now: number;
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
      return monthError(end, ended) ?? stopError(end, ended);
    default:
      return jobsError(end, ended);
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

function outOfTime({ cutBy = "max-lifetime", name, url }: LostJob, billing: string): HoldError {
  const { why, hint } = TIME_OVER[cutBy];
  return new HoldError(`${why} while '${oneLine(name, 100)}' ran on it${url ? ` (${url})` : ""}. ${billing}`, { hint });
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
    what: `'${jobNameOf(job)}' waited for an approval or its concurrency group for all of ${waitedFor(options)}.`,
    hint: "Put the environment on a small job that this one and the GPU job need.",
  }),
};

/**
 * Names the machine that may hold a waiting job: a job whose worker hung as it began is still shown
 * as queued, and no other runner gets it.
 */
function describeHolder({ machines }: Fleet): string {
  const holder = machines.find(mayHoldJob);
  if (holder === undefined) return "";
  return ` GitHub gave machine ${holder.machineNo} a job that never began: it may still be bound to that runner (actions/runner#4598).`;
}

/** How many jobs with a mistyped label a message names. */
const MOST_MISTYPED = 3;

/** Says which jobs ask for a label that was meant to be our label. */
export function describeMistyped(jobs: readonly DeepReadonly<MistypedJob>[], runnerLabel: string): string {
  const each = jobs
    .slice(0, MOST_MISTYPED)
    .map(
      ({ label, name, url }) =>
        `'${oneLine(name, 100)}'${url ? ` (${oneLine(url)})` : ""} asks for ${oneLine(label, 100)}`,
    );
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

function jobsError(end: JobsEnd, ended: Ended): HoldError {
  const { what, ...options } = (SENTENCES[end.kind] as SentenceOf<JobsEnd["kind"]>)(end, ended);
  return new HoldError(`${what} ${billingOf(ended.fleet)}`, options);
}

function jobNameOf(job: { name: string } | undefined): string {
  return oneLine(job?.name ?? "", 100);
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
  const spent = fleet.machines.some(wasMade) ? describeSpent(totalCost(recordsOf(fleet), now)) : "";
  return [missed, spent, billingOf(fleet)].filter(Boolean).join(" ");
}

function describeSpent({ bytes, total }: Cost): string {
  const uncounted = bytes === undefined ? ", traffic not counted" : "";
  return total === 0 ? `Nothing was spent${uncounted}.` : `${capitalized(formatAbout(total))} spent.`;
}

/** Makes the error for renting that stops because the rest of the month pays no offer. */
function monthError({ jobs, stop }: Extract<End, { kind: "stopped" }>, ended: Ended): UserError | undefined {
  const { fleet, request } = ended;
  const { month } = request.money;
  const nothing = fleet.market?.nothing;
  const isForMoney = stop.kind === "max-cost" || (stop.kind === "no-offer" && nothing && isMaxCost(nothing));
  if (month === undefined || !isForMoney) return undefined;
  return new MonthlyCostError(month, afterStop(jobs, ended), describeFailures(failuresOf(fleet)));
}

/** Makes the error for renting that has stopped. */
function stopError({ jobs, stop }: Extract<End, { kind: "stopped" }>, ended: Ended): UserError {
  const { fleet, now, options, request } = ended;
  const after = afterStop(jobs, ended);
  const failures = failuresOf(fleet);
  const made = fleet.machines.filter(wasMade);
  switch (stop.kind) {
    case "refused":
      return refusedError(stop.answer, ended, after);
    case "unsearchable":
      return faultError(stop.fault).and(after);
    case "undestroyed":
      return faultError(stop.fault);
    case "passed-over":
      return passedOverError(jobs, fleet, after);
    case "attempts":
      return new AttemptsExhaustedError(failures, made.length, after);
    case "creates":
      return new CreatesUsedUpError(fleet.machines.length, after);
    case "runners-refused":
      return new RunnerRefusedError(stop.words, after);
    case "no-image":
      return new ImageMissingError(request.image.name, stop.word, after);
    case "preparing":
      return probeError(blamed(failures, "preparing").filter(mayBeProbe), after);
    case "ready-timeout":
      return lateError(ended, describeFailures(failures), after);
    case "max-cost": {
      const left = budgetLeft(request, recordsOf(fleet), now);
      if (left !== undefined && made.length > 0) return new BudgetError(left, describeFailures(failures), after);
      return nothingFitsError(ended, 0, after);
    }
    case "no-offer": {
      if (failures.length === 0) return nothingFitsError(ended, options.searchTimeout, after);
      // "No offer matches" need not be all that is true: what was tried is the better answer.
      const nothing = fleet.market?.nothing;
      const hint = nothing?.kind === "none-fits" ? nothing.explanation.hint : nothing?.fault.hint;
      return new AttemptsExhaustedError(failures, made.length, `No other offer fits. ${after}`, hint);
    }
    default:
      return imageError(stop.kind, blamed(failures, stop.kind).at(-1), request, after);
  }
}

function imageError(
  fault: ImageFault,
  last: Machine | undefined,
  { instance }: FleetRequest,
  after: string,
): UserError {
  // A template's own image is known only to the service.
  const image = instance.image ?? `of template ${instance.templateHashId}`;
  return new ImageUnusableError(fault, image, last?.words?.text ?? last?.ending?.why ?? "", after);
}

/** Makes the error for GitHub's silence. The runner group is named only where no job of ours ever ran. */
function passedOverError(jobs: readonly DeepReadonly<GpuJob>[], fleet: Fleet, after: string): HoldError {
  const what = `${jobs.length === 0 ? "A GPU job" : jobNames(jobs)} waited although a machine was ready: GitHub did not give it our runner.`;
  const ofGroup =
    "Check which repositories the runner group may serve (public ones are off by default), and the labels in runs-on.";
  const hasRun = fleet.lastBeginAt >= fleet.startedAt;
  const hint = fleet.machines.some(mayHoldJob)
    ? "Cancel the run, and run it again: a new run has new jobs."
    : `Look at githubstatus.com.${hasRun ? "" : ` ${ofGroup}`}`;
  return new HoldError(`${what}${describeHolder(fleet)} ${after}`, { kind: "no-machine", hint });
}

function probeError(failures: readonly Machine[], after: string): ProbeFailedError {
  return new ProbeFailedError(failures.length, failures.findLast(({ words }) => words)?.words?.text, after);
}

type Refused = Extract<Stop, { kind: "refused" }>["answer"];

function refusedError(answer: Refused, { fleet, request }: Ended, after: string): UserError {
  if (answer.kind === "unregistered") {
    // Another session's machines serve the jobs then: nobody ends them here.
    const isOthers = answer.fault.kind === "label-in-use";
    return faultError(answer.fault).and(isOthers ? billingOf(fleet) : after);
  }
  return createError(answer.refusal, request.instance.templateHashId, after);
}

const CANNOT_HELP =
  "Two searches without the other filters, rented machines included, found nothing better. Waiting can't help.";

/** Makes the error for a market with nothing to rent. The last create's refusal, if there is one, says more. */
function nothingFitsError(ended: Ended, searchTimeout: number, after: string): UserError {
  const { fleet } = ended;
  const { market } = fleet;
  const last = lastRefusal(fleet);
  const gone = offersGone(fleet);
  if (last?.kind === "unregistered" || (last?.kind === "refused" && last.refusal.code !== "too-fast"))
    return refusedError(last, ended, after);
  if (market?.nothing === undefined || (gone > 0 && !isMaxCost(market.nothing)))
    return new OffersExhaustedError(gone, after);
  const { nothing } = market;
  if (nothing.kind === "fault") return faultError(nothing.fault).and(after);
  const long = searchTimeout === 0 ? "" : `Searched for all of search-timeout (${formatDuration(searchTimeout)}). `;
  const searched = isHopeless(fleet) ? `${CANNOT_HELP} ` : long;
  return noOffer(nothing, `${searched}${after}`);
}

/** True if what max-cost leaves pays for none of the offers. */
function isMaxCost(nothing: DeepReadonly<NoOffers>): boolean {
  return nothing.kind === "none-fits" && nothing.explanation.input === "max-cost";
}

function noOffer({ explanation, requirements }: Extract<NoOffers, { kind: "none-fits" }>, after: string): NoOfferError {
  return new NoOfferError(requirements, explanation, after);
}

/** A pause that ended longer ago than this is not the reason why nothing was rented. */
const PAUSED_LATELY_MS = 120_000;

/** Makes the error for `ready-timeout`. If nothing was rented, it says what prevented that. */
function lateError(ended: Ended, failures: string[], after: string): UserError {
  const { fleet, now, options } = ended;
  const { machines, market, noOfferSince } = fleet;
  const limit = formatDuration(options.readyMs);
  const kept = fullSentence(ended) ?? unlistedSentence(fleet, options.readyMs, now);
  if (kept !== undefined) return new ReadyTimeoutError(limit, [kept.what, ...failures], after, kept.hint);
  const last = lastRefusal(fleet);
  const { times, until } = standing(fleet, "create") ?? { times: 0, until: Number.NEGATIVE_INFINITY };
  const isPaused = now - until < PAUSED_LATELY_MS;
  const wasRented = machines.some(wasMade);
  if (!wasRented && isPaused && last?.kind === "unregistered") return refusedError(last, ended, after);
  // A longer search-timeout ends here, too.
  if (!wasRented && noOfferSince !== undefined && market?.nothing?.kind === "none-fits")
    return noOffer(market.nothing, `Searched for all of ready-timeout (${limit}). ${after}`);
  return new ReadyTimeoutError(limit, [...failures, ...(last === undefined ? [] : [pausedBy(last, times)])], after);
}

/** Says why renting pauses, by the last answer to a create. */
function pausedBy(last: NonNullable<ReturnType<typeof lastRefusal>>, times: number): string {
  if (last.kind === "unregistered") return last.fault.message.trim();
  if (last.kind === "refused" && last.refusal.code !== "too-fast")
    return `Vast.ai refused to create a machine: ${last.refusal.sentence}.`;
  return `Vast.ai asked us to slow down, ${times === 1 ? "1 time" : `${times} times`}.`;
}

/** Says that `machines-per-repository` left no room, if that is so and other runs have machines. */
function fullSentence({ fleet: { machines, repositoryAlive }, options: { machinesPerRepository: most } }: Ended) {
  if (repositoryAlive < most || repositoryAlive <= machines.filter(isAlive).length) return undefined;
  return {
    what: `${most} of ${most} machines of this repository were alive.`,
    hint: "Raise machines-per-repository or ready-timeout, or run fewer workflows with GPU jobs at a time.",
  };
}

/**
 * Says that the service's list could not be read, if that was so for most of the time; a few lost
 * lists explain nothing.
 */
function unlistedSentence({ instancesAt, startedAt }: Fleet, readyMs: number, now: number) {
  const since = now - (instancesAt ?? startedAt);
  if (since < readyMs / 2) return undefined;
  return {
    what: `Vast.ai gave no list of instances for ${formatDuration(since)}, without which nothing is rented.`,
    hint: "The log has what it gave instead. Run the job again when the service works.",
  };
}
