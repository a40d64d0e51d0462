import type { GpuJob } from "../jobs/gpu-jobs.ts";
import { jobNames } from "../jobs/job-names.ts";
import type { KnownError } from "../known-error.ts";
import { describeImage } from "../machine/rent/instance-config.ts";
import { NoOfferError } from "../market/market-errors.ts";
import { BudgetError } from "../money/budget-errors.ts";
import { totalCost } from "../money/cost.ts";
import { formatPrice } from "../money/format-price.ts";
import { oneLine } from "../text/foreign-text.ts";
import { formatDuration } from "../time/duration.ts";
import { reportsOf } from "./acts.ts";
import { describeFailures } from "./failures.ts";
import {
  AttemptsExhaustedError,
  GpuJobFailedError,
  HoldError,
  ImageUnusableError,
  MachineLostError,
  OffersExhaustedError,
  ProbeFailedError,
  ReadyTimeoutError,
} from "./fleet-errors.ts";
import { jobsError } from "./jobs-error.ts";
import type { End } from "./plan/plan-end.ts";
import type { Stop } from "./plan/plan-stop.ts";
import { billingOf } from "./state/billing.ts";
import type { Fleet, LostJob } from "./state/fleet.ts";
import type { FleetRequest } from "./state/fleet-request.ts";
import type { Policy } from "./state/policy.ts";
import { budgetLeft } from "./state/rental.ts";
import { describeLabels } from "./tell.ts";

/** The facts that an end is told with. */
export interface Ended {
  fleet: Readonly<Fleet>;
  policy: Policy;
  request: FleetRequest;
  /** The label that the GPU jobs ask for. */
  runnerLabel: string;
  failWithJob: boolean;
  now: number;
}

/** The error that an end is for this job; undefined when all went well. */
export function errorOf(end: End, ended: Ended): KnownError | undefined {
  switch (end.kind) {
    case "ready":
    case "none-came":
      return undefined;
    case "over":
      return overError(end, ended);
    case "stopped":
      return stopError(end.stop, ended, afterStop(end.jobs, ended));
    default:
      return jobsError(end, { ...ended, billing: billingOf(ended.fleet) });
  }
}

function overError(
  { bad, lost, refused }: Extract<End, { kind: "over" }>,
  { failWithJob, fleet }: Ended,
): KnownError | undefined {
  const billing = billingOf(fleet);
  const cut = lost.find(({ cutBy }) => cutBy !== undefined);
  if (cut !== undefined) return outOfTime(cut, billing);
  if (lost.length > 0) return new MachineLostError(lost, billing);
  const [other] = refused;
  if (other !== undefined)
    return new HoldError(`${describeLabels(other)} ${billing}`, {
      hint: "Let runs-on ask for that one label, as the README shows it, without self-hosted.",
    });
  return failWithJob && bad.length > 0 ? new GpuJobFailedError(bad, billing) : undefined;
}

const TIME_OVER = {
  "max-lifetime": {
    why: "max-lifetime is over, and the machine was given back",
    hint: "Raise max-lifetime, or make the GPU job shorter; its own timeout-minutes should be below max-lifetime.",
  },
  "max-cost": {
    why: "max-cost is used up: it had cut the machine's time below max-lifetime. The machine was given back",
    hint: "Raise max-cost, or make the GPU job shorter; the log tells, where the machine is asked for, how long max-cost lets it live.",
  },
};

function outOfTime({ cutBy = "max-lifetime", name, url }: LostJob, billing: string): HoldError {
  const { why, hint } = TIME_OVER[cutBy];
  return new HoldError(`${why} while '${oneLine(name, 100)}' ran on it${url ? ` (${url})` : ""}. ${billing}`, { hint });
}

/** The jobs that did not run, what was spent, and what may still bill. */
function afterStop(jobs: readonly GpuJob[], { fleet, now }: Ended): string {
  const missed = jobs.length === 0 ? "" : `${jobNames(jobs)} did not run.`;
  const spent =
    fleet.machines.length === 0 ? "" : `About ${formatPrice(totalCost(reportsOf(fleet), now).total)} spent.`;
  return [missed, spent, billingOf(fleet)].filter(Boolean).join(" ");
}

function stopError(stop: Stop, { fleet, policy, request, now }: Ended, after: string): KnownError {
  const rented = fleet.machines.length;
  switch (stop.kind) {
    case "refused":
      return stop.refusal.error(after);
    case "undestroyed":
      return stop.fault;
    case "attempts":
      return new AttemptsExhaustedError(stop.failures, rented, after);
    case "image": {
      const last = stop.failures.findLast(({ machine }) => machine.ending?.blame === "image");
      return new ImageUnusableError(describeImage(request.instance), last?.why ?? "", after);
    }
    case "preparing":
      return new ProbeFailedError(stop.failures.length, after);
    case "ready-timeout":
      return late(fleet, policy, describeFailures(stop.failures), after);
    case "max-cost": {
      const left = budgetLeft(request, reportsOf(fleet), now);
      if (left !== undefined && rented > 0) return new BudgetError(left, describeFailures(stop.failures), after);
      return nothingFits(fleet, 0, after);
    }
    case "no-offer":
      // "No offer matches" need not be all that is true: what was tried is the better answer.
      return stop.failures.length > 0
        ? new AttemptsExhaustedError(stop.failures, rented, after)
        : nothingFits(fleet, policy.searchMs, after);
  }
}

function nothingFits({ market, taken }: Readonly<Fleet>, searchMs: number, after: string): KnownError {
  const error = market?.nothing?.error;
  if (taken.length > 0 || error === undefined) return new OffersExhaustedError(taken.length, after);
  if (!(error instanceof NoOfferError)) return error.and(after);
  const searched = searchMs === 0 ? "" : `Searched for all of search-timeout (${formatDuration(searchMs)}). `;
  return new NoOfferError(error.wishes, error.explanation, `${searched}${after}`);
}

/** Where nothing was rented, what kept it from that is the better answer. */
function late(
  { machines, pause }: Readonly<Fleet>,
  { readyMs }: Policy,
  failures: string[],
  after: string,
): KnownError {
  if (machines.length === 0 && pause?.error !== undefined) return pause.error.and(after);
  const asked = pause === undefined ? [] : [`The service asked to come later, ${pause.times} times.`];
  return new ReadyTimeoutError(formatDuration(readyMs), [...failures, ...asked], after);
}
