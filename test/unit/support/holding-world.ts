import type { HeldMachine, HoldingDeps } from "../../../src/fleet/holding-ports.ts";
import type { SeenJob } from "../../../src/jobs/job-counts.ts";
import { OWN_JOB, WHOSE } from "./a-job.ts";
import { HandWoundClock } from "./hand-wound-clock.ts";
import { RecordedLog } from "./recorded-log.ts";

/** GitHub and a machine as the holding room sees them: what its test puts here is what the room is told from then on. */
export class HoldingWorld implements HoldingDeps, HeldMachine {
  readonly clock = new HandWoundClock();
  readonly log = new RecordedLog();
  readonly cancel = new AbortController();
  readonly signal = this.cancel.signal;
  /** The jobs beside our own; undefined: GitHub can't be asked. An error is thrown. */
  jobs: readonly SeenJob[] | undefined | Error = [];
  machine: "alive" | "gone" | "unknown" = "alive";
  runnerStatus: "online" | "offline" | "gone" | "unknown" = "online";
  removal: "removed" | "busy" | "unknown" = "removed";
  readonly cutBy = "max-lifetime";
  lifetimeMs = 2 * 3_600_000;
  /** The moments, in seconds from the start, at which each was asked. */
  readonly asked = { jobs: [] as number[], machine: [] as number[], runner: [] as number[], removal: [] as number[] };

  /** Changes something so many seconds after the start. */
  at(seconds: number, change: (world: HoldingWorld) => void): void {
    this.clock.at(seconds * 1000, () => change(this));
  }

  readonly listJobs = async (): Promise<readonly SeenJob[] | undefined> => {
    this.asked.jobs.push(this.#second());
    if (this.jobs instanceof Error) throw this.jobs;
    return this.jobs && [OWN_JOB, ...this.jobs];
  };

  readonly whose = () => WHOSE;

  async look() {
    this.asked.machine.push(this.#second());
    return this.machine;
  }

  async runner() {
    this.asked.runner.push(this.#second());
    return this.runnerStatus;
  }

  async removeRunner() {
    this.asked.removal.push(this.#second());
    return this.removal;
  }

  lifetimeLeftMs(): number {
    return this.lifetimeMs - this.clock.elapsed;
  }

  #second(): number {
    return this.clock.elapsed / 1000;
  }
}

/** The most of the given moments (in seconds) that fall into any one hour. */
export function mostPerHour(seconds: readonly number[]): number {
  return Math.max(0, ...seconds.map((from) => seconds.filter((at) => at >= from && at < from + 3600).length));
}
