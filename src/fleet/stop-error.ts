import type { KnownError } from "../known-error.ts";
import { describeImage } from "../machine/rent/instance-config.ts";
import { describeOffer } from "../market/search.ts";
import { BudgetError } from "../money/budget-errors.ts";
import { oneLine } from "../text/foreign-text.ts";
import { formatDuration } from "../time/duration.ts";
import { reportsOf } from "./acts.ts";
import {
  AttemptsExhaustedError,
  ImageUnusableError,
  OffersExhaustedError,
  ProbeFailedError,
  ReadyTimeoutError,
} from "./fleet-errors.ts";
import type { Failure, Stop } from "./plan/plan-stop.ts";
import type { Fleet } from "./state/fleet.ts";
import type { FleetRequest } from "./state/fleet-request.ts";
import type { Policy } from "./state/policy.ts";
import { budgetLeft } from "./state/rental.ts";

/** The facts that a stop is told with. */
export interface Stopped {
  fleet: Readonly<Fleet>;
  policy: Policy;
  request: FleetRequest;
  now: number;
}

/** The error of a renting that stopped; `billing`: a sentence on what may still bill. */
export function stopError(stop: Stop, { fleet, policy, request, now }: Stopped, billing: string): KnownError {
  switch (stop.kind) {
    case "refused":
      return stop.refusal.error(billing);
    case "undestroyed":
      return stop.machine.fault ?? new AttemptsExhaustedError([], billing);
    case "attempts":
      return new AttemptsExhaustedError(stop.failures.map(describeFailure), billing);
    case "image": {
      const last = stop.failures.findLast(({ machine }) => machine.ending?.blame === "image");
      return new ImageUnusableError(describeImage(request.instance), last?.why ?? "", billing);
    }
    case "preparing":
      return new ProbeFailedError(stop.failures.length, billing);
    case "ready-timeout":
      return late(fleet, policy, stop.failures.map(describeFailure), billing);
    case "max-cost": {
      const left = budgetLeft(request, reportsOf(fleet), now);
      if (left !== undefined && fleet.machines.length > 0)
        return new BudgetError(left, stop.failures.map(describeFailure), billing);
      return fleet.market?.nothing?.error ?? new OffersExhaustedError(0, billing);
    }
    case "no-offer":
      return noOffer(fleet, billing);
  }
}

/** "No offer matches" need not be all that is true: what was tried is the better answer. */
function noOffer(fleet: Readonly<Fleet>, billing: string): KnownError {
  const failed = fleet.machines.filter(({ ending }) => ending?.kind === "failed" || ending?.kind === "lost");
  const told = failed.map((machine, index) =>
    describeFailure({ n: machine.n, machine, why: machine.ending?.why ?? "" }, index),
  );
  if (told.length > 0) return new AttemptsExhaustedError(told, billing);
  if (fleet.taken.length > 0) return new OffersExhaustedError(fleet.taken.length, billing);
  const error = fleet.market?.nothing?.error;
  return error ?? new OffersExhaustedError(0, billing);
}

function describeFailure({ machine, why }: Failure, index: number): string {
  return `Attempt ${index + 1}, ${describeOffer(machine.candidate.offer)}: ${oneLine(why)}.`;
}

/** Where nothing was rented, what kept it from that is the better answer. */
function late(
  { machines, pause }: Readonly<Fleet>,
  { readyMs }: Policy,
  failures: string[],
  billing: string,
): KnownError {
  if (machines.length === 0 && pause?.error !== undefined) return pause.error;
  const asked = pause === undefined ? [] : [`The service asked to come later, ${pause.times} times.`];
  return new ReadyTimeoutError(formatDuration(readyMs), [...failures, ...asked], billing);
}
