import type { RentRequest } from "../machine/create.ts";
import type { Money } from "../money/budget.ts";
import type { OfferRequirements } from "../offers/offer-requirements.ts";
import type { ImageFacts } from "../timing/boot.ts";
import type { Limits } from "../timing/limits.ts";

/** The terms that every machine of a session is rented on. Plain data, times in milliseconds. */
export interface RentalTerms {
  image: ImageFacts;
  limits: Limits;
  money: Money;
  /** How long the user's `setup` may take. */
  setupMs?: number | undefined;
  /** The shortest time for which a machine is worth renting. */
  leastMs: number;
  /** How long a GPU job takes, by the user's guess. */
  jobMs?: number | undefined;
}

/** What a session asks of the market and of each machine. */
export interface FleetRequest extends RentRequest, RentalTerms {
  offer: OfferRequirements;
}

/** The inputs that rule the fleet. Plain data, times in milliseconds. */
export interface FleetOptions {
  /** The most machines at a time. */
  machines: number;
  /** How many GPU jobs are expected. */
  jobs: number | "auto";
  hedge: boolean;
  /** False: rent one machine at once, and end the step when it is ready. */
  hold: boolean;
  /** The most for one machine, in USD per hour. */
  maxPrice: number;
  attempts: number;
  machinesPerRepository: number;
  waitForJob: number;
  idleTimeout: number;
  /** How long each job may wait for a machine. */
  readyMs: number;
  searchTimeout: number;
  maxLifetime: number;
  keepFailed: number;
  /** The attempt of the run. From the second on, jobs that succeeded before don't run again. */
  attempt: number;
  hasProbe: boolean;
  /** The token for runners expires within the run, as a GitHub App's does. */
  tokenExpires: boolean;
  /** Rent on demand where bids bring or keep no machine. */
  bidFallback: boolean;
  /** Machines write what their GPUs did into the logs of their jobs. */
  gpuFigures: boolean;
  /** The registry had no such image at the start. It is asked again once a job waits. */
  asksImage: boolean;
}

/** All that decisions depend on, except the state and the time. Plain data. */
export interface Rules extends FleetOptions {
  rental: RentalTerms;
  /** How many jobs one machine runs, one after the other. */
  jobsPerMachine: number;
  /** Machines are rented by bids. */
  isBidding: boolean;
}

/** Joins the options and the terms of a session to its rules. */
export function rulesOf(options: FleetOptions, request: FleetRequest): Rules {
  const { image, jobMs, jobsPerMachine, leastMs, limits, money, offer, setupMs } = request;
  return {
    ...options,
    jobsPerMachine,
    rental: { image, jobMs, leastMs, limits, money, setupMs },
    isBidding: offer.bid !== undefined,
  };
}
