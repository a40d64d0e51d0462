import type { Fault as GithubFault } from "../../simulator/github/faults.ts";
import type { OperationName } from "../../simulator/github/operation-name.ts";
import type { Fault as ServiceFault, ServiceOperation } from "../../simulator/scenario/fault.ts";
import type { Scenario } from "../../simulator/scenario/scenario.ts";
import type { Dialect } from "../../simulator/service/traffic/refusal.ts";
import type { Pause } from "../stories/story.ts";

/** Which of the three entries of dist. */
export type Entry = "main" | "post" | "sweep";

/**
 * When a process dies: at a request of its own, before or after that took effect; or so many
 * simulated seconds after its start.
 */
export type Moment =
  | { at: "service"; operation: ServiceOperation; nth: number; side: "before" | "after" }
  | { at: "github"; operation: OperationName; nth: number; side: "before" | "after" }
  | { at: "time"; seconds: number }
  /** So long after the first GPU job began. */
  | { at: "job"; seconds: number };

/** The end of an entry's process. `cancel`: as by the platform when someone cancels the run. */
export interface Death {
  how: "cancel" | "SIGINT" | "SIGTERM" | "SIGKILL";
  moment: Moment;
}

/** A rented machine's fate, and so many seconds after which event. */
export interface MachineDeath {
  how: "frozen" | "rebooted" | "offline" | "back-online" | "black" | "outbid" | "exited" | "removed";
  once: "created" | "running" | "online" | "job" | "after a job";
  seconds: number;
  /** Which of our machines, in the order of their creation, or that of which offer; the newest without it. */
  nth?: number;
  offer?: number;
}

/** The faults that are in force while an entry runs; counted anew for each. */
export interface Faults {
  service: ServiceFault[];
  github: GithubFault[];
}

/** One GPU job of the run; seconds are simulated ones since the start of the world. */
export interface PlannedJob {
  name: string;
  does: "short" | "long" | "endless" | "failing";
  /** GitHub shows it only then, when a job before it is over. */
  shownAfter?: number;
  /** Someone cancels it alone. */
  cancelledAfter?: number;
}

/** A story, as the simulator plays it (plan-of.ts). JSON, so that it can be written down. */
export interface PlannedRun {
  seed: number;
  index: number;
  /** The names of its troubles (../stories/troubles.ts). */
  had: string[];
  dialect: Dialect;
  offers: NonNullable<Scenario["offers"]>;
  /**
   * Offers that somebody else rents in the moment in which our create arrives; both are taken, and
   * ours finds its port bound.
   */
  rivals?: number[];
  /** Offers on whose machines GitHub gives no job to a runner, and when it gives none to anybody. */
  deaf: number[];
  pauses: Pause[];
  /** GB of the image; the registry's own default without it. */
  imageGb?: number;
  /** Runners of somebody else that the repository has, too. */
  otherRunners?: number;
  /** The GPU jobs. */
  jobs: PlannedJob[];
  /** They are of one matrix, so many at a time; the first that fails takes the others with it. */
  matrix?: { maxParallel: number; failFast: boolean };
  inputs: Record<string, string>;
  faults: Record<Entry, Faults>;
  /** Those of the machine's own requests, in force all the time. */
  machineFaults: ServiceFault[];
  /** Without it main ends by itself. */
  mainDeath?: Death;
  /** `never`: the hosted runner is gone. */
  post: "runs" | "never" | Death;
  machineDeaths: MachineDeath[];
  /** Ends the machines where post did not. `itself`: nobody sweeps until the label expires. */
  without: "sweep" | "itself";
  /** True when post can't be expected to succeed: the service is away for all of its time. */
  isHeavy: boolean;
}
