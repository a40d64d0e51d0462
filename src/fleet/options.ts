import type { RentRequest } from "../create/rent.ts";
import type { OfferRequirements } from "../market/offer-requirements.ts";
import type { ImageFacts } from "../money/boot.ts";
import type { Money } from "../money/budget.ts";
import type { Limits } from "../money/limits.ts";

/** What becomes of a job that can have no machine. */
export type IfNoMachine = "auto" | "cancel" | "fail-jobs" | "leave";

/** The terms that every machine of a session is rented on. Times in milliseconds. Plain data. */
export interface RentalTerms {
  image: ImageFacts;
  limits: Limits;
  money: Money;
  /** How long the user's `setup` may take. */
  setupMs?: number | undefined;
  /** The shortest time for which a machine is worth renting. */
  leastMs: number;
  /** How long a GPU job takes, as the user guesses. */
  jobMs?: number | undefined;
}

/** What a session asks of the market and of each machine. */
export interface FleetRequest extends RentRequest, RentalTerms {
  offer: OfferRequirements;
}

/** The inputs' rules for the fleet. Times in milliseconds. Plain data. */
export interface FleetOptions {
  /** At most so many machines at a time. */
  machines: number;
  /** How many GPU jobs are expected. */
  jobs: number | "auto";
  hedge: boolean;
  /** False: one machine at once, and the step goes on when it is ready. */
  hold: boolean;
  /** Of one machine, in USD per hour. */
  maxPrice: number;
  attempts: number;
  machinesPerRepository: number;
  waitForJob: number;
  idleTimeout: number;
  /** For each job, from the moment that it waits. */
  readyMs: number;
  searchTimeout: number;
  maxLifetime: number;
  keepFailed: number;
  /** The attempt of the run: from the second on, jobs that did well before don't come again. */
  attempt: number;
  hasProbe: boolean;
  /** On demand is good enough where no bid brings, or keeps, a machine. */
  bidFallback: boolean;
  /** Each machine would make a volume of its own, which outlives the run and bills on. */
  volumeCreateNew: boolean;
  /** Machines write what their GPUs did into the logs of their jobs. */
  gpuFigures: boolean;
  /** The image's registry had no such image: it is asked again once a job waits. */
  asksImage: boolean;
}

/** All that decisions hang on beside the state and the time. Plain data. */
export interface Rules extends FleetOptions {
  rental: RentalTerms;
  /** How many jobs one machine runs, one after the other. */
  jobsPerMachine: number;
  /** Machines are asked for by bids. */
  isBidding: boolean;
}

/** The rules of a session. */
export function rulesOf(options: FleetOptions, request: FleetRequest): Rules {
  const { image, jobMs, jobsPerMachine, leastMs, limits, money, offer, setupMs } = request;
  return {
    ...options,
    jobsPerMachine,
    rental: { image, jobMs, leastMs, limits, money, setupMs },
    isBidding: offer.bid !== undefined,
  };
}
