/** The inputs' rules for the fleet. All times in milliseconds. */
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
  waitForJobMs: number;
  idleMs: number;
  /** For each job, from the moment that it waits. */
  readyMs: number;
  searchMs: number;
  lifetimeMs: number;
  keepFailedMs: number;
  /** The attempt of the run: from the second on, jobs that did well before don't come again. */
  attempt: number;
  hasProbe: boolean;
  /** On demand is good enough where no bid brings, or keeps, a machine. */
  bidFallback: boolean;
  /** Each machine would make a volume of its own, which outlives the run and bills on. */
  makesVolume: boolean;
}
