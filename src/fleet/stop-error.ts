import { describeImage } from "../create/rent.ts";
import type { GpuJob } from "../github/gpu-jobs.ts";
import { jobNames } from "../github/job-names.ts";
import { NoOfferError } from "../market/errors.ts";
import { totalCost } from "../money/cost.ts";
import { BudgetError } from "../money/errors.ts";
import { formatPrice } from "../money/price.ts";
import { counted } from "../shared/counted.ts";
import { formatDuration } from "../shared/duration.ts";
import type { UserError } from "../shared/user-error.ts";
import { describeFailures } from "./failures.ts";
import {
  AttemptsExhaustedError,
  HoldError,
  ImageUnusableError,
  OffersExhaustedError,
  ProbeFailedError,
  ReadyTimeoutError,
} from "./fleet-errors.ts";
import type { End } from "./plan/plan-end.ts";
import { blamed } from "./plan/plan-stop.ts";
import { reportsOf } from "./reports.ts";
import { billingOf } from "./state/billing.ts";
import type { Fleet } from "./state/fleet.ts";
import type { FleetRequest } from "./state/fleet-request.ts";
import type { FleetOptions } from "./state/policy.ts";
import { budgetLeft } from "./state/rental.ts";
import { isAlive } from "./state/stage.ts";

/** The facts that a stop is told with. */
export interface Stopped {
  fleet: Readonly<Fleet>;
  policy: FleetOptions;
  request: FleetRequest;
  now: number;
}

/** The jobs that did not run, what was spent, and what may still bill. */
function afterStop(jobs: readonly GpuJob[], { fleet, now }: Stopped): string {
  const missed = jobs.length === 0 ? "" : `${jobNames(jobs)} did not run.`;
  const spent =
    fleet.machines.length === 0 ? "" : `About ${formatPrice(totalCost(reportsOf(fleet), now).total)} spent.`;
  return [missed, spent, billingOf(fleet)].filter(Boolean).join(" ");
}

/** The error of a renting that stopped. */
export function stopError({ jobs, stop }: Extract<End, { kind: "stopped" }>, stopped: Stopped): UserError {
  const { fleet, policy, request, now } = stopped;
  const after = afterStop(jobs, stopped);
  const rented = fleet.machines.length;
  switch (stop.kind) {
    case "refused":
      return stop.refusal.error(after);
    case "undestroyed":
      return stop.fault;
    case "attempts":
      return new AttemptsExhaustedError(stop.failures, rented, after);
    case "image": {
      const last = blamed(stop.failures, "image").at(-1);
      return new ImageUnusableError(describeImage(request.instance), last?.ending?.why ?? "", after);
    }
    case "preparing":
      return new ProbeFailedError(blamed(stop.failures, "preparing").length, after);
    case "ready-timeout":
      return late(stopped, describeFailures(stop.failures), after);
    case "volume":
      return new HoldError(`A new volume is made with one machine only: it bills until you delete it. ${after}`, {
        hint: "Now that there is one, set volume-id to its id and volume-create-new to false; the service's console shows the id.",
      });
    case "max-cost": {
      const left = budgetLeft(request, reportsOf(fleet), now);
      if (left !== undefined && rented > 0) return new BudgetError(left, describeFailures(stop.failures), after);
      const nothing = fleet.market?.nothing;
      return nothing instanceof NoOfferError ? noOffer(nothing, after) : nothingFits(fleet, 0, after);
    }
    case "no-offer": {
      if (stop.failures.length === 0) return nothingFits(fleet, policy.searchMs, after);
      // "No offer matches" need not be all that is true: what was tried is the better answer.
      const hint = fleet.market?.nothing?.hint;
      return new AttemptsExhaustedError(stop.failures, rented, `No other offer fits. ${after}`, hint);
    }
  }
}

function nothingFits({ market, taken }: Readonly<Fleet>, searchMs: number, after: string): UserError {
  const error = market?.nothing;
  if (taken.length > 0 || error === undefined) return new OffersExhaustedError(taken.length, after);
  if (!(error instanceof NoOfferError)) return error.and(after);
  const searched = searchMs === 0 ? "" : `Searched for all of search-timeout (${formatDuration(searchMs)}). `;
  return noOffer(error, `${searched}${after}`);
}

function noOffer({ explanation, wishes }: NoOfferError, after: string): NoOfferError {
  return new NoOfferError(wishes, explanation, after);
}

/** A pause that was over for longer than the longest one has kept nothing from being rented. */
const PAUSED_LATELY_MS = 120_000;

/** Where nothing was rented, what kept it from that is the better answer. */
function late({ fleet, policy, now }: Stopped, failures: string[], after: string): UserError {
  const { machines, market, noOfferSince, pause } = fleet;
  const limit = formatDuration(policy.readyMs);
  const kept = isFull(fleet, policy) ? fullSentence(policy) : unlistedSentence(fleet, policy.readyMs, now);
  if (kept !== undefined) return new ReadyTimeoutError(limit, [kept.what, ...failures], after, kept.hint);
  const isPaused = pause !== undefined && now - pause.until < PAUSED_LATELY_MS;
  if (machines.length === 0 && isPaused && pause.error !== undefined) return pause.error.and(after);
  // A longer search-timeout ends here, too.
  if (machines.length === 0 && noOfferSince !== undefined && market?.nothing instanceof NoOfferError)
    return noOffer(market.nothing, `Searched for all of ready-timeout (${limit}). ${after}`);
  const asked = pause === undefined ? [] : [pausedBy(pause)];
  return new ReadyTimeoutError(limit, [...failures, ...asked], after);
}

/** By the last word, where it was not the service's 429. */
function pausedBy({ error, times }: NonNullable<Fleet["pause"]>): string {
  return error?.message.trim() ?? `The service asked to come later, ${counted(times, "time")}.`;
}

function fullSentence({ machinesPerRepository: most }: FleetOptions) {
  return {
    what: `${most} of ${most} machines of this repository were alive.`,
    hint: "Raise machines-per-repository or ready-timeout, or run fewer workflows with GPU jobs at a time.",
  };
}

/** No list for most of the time; some that got lost explain nothing. */
function unlistedSentence({ instancesAt, startedAt }: Readonly<Fleet>, readyMs: number, now: number) {
  const since = now - (instancesAt ?? startedAt);
  if (since < readyMs / 2) return undefined;
  return {
    what: `The service gave no list of instances for ${formatDuration(since)}, without which nothing is rented.`,
    hint: "The log has what it gave instead. Run the job again when the service works.",
  };
}

/** Other runs have machines, and leave no room for one of ours. */
function isFull({ machines, repositoryAlive }: Readonly<Fleet>, { machinesPerRepository }: FleetOptions): boolean {
  return repositoryAlive >= machinesPerRepository && repositoryAlive > machines.filter(isAlive).length;
}
