import type { Fault as GithubFault } from "../../simulator/github/faults.ts";
import type { OperationName } from "../../simulator/github/operation-name.ts";
import type { Fault as ServiceFault } from "../../simulator/scenario/fault.ts";
import type { Scenario } from "../../simulator/scenario/scenario.ts";
import type { ServiceOperation } from "../../simulator/scenario/service-operation.ts";
import type { Dialect } from "../../simulator/service/traffic/dialect.ts";

/** Which of the three entries of dist. */
export type Entry = "main" | "post" | "sweep";

/** When a process dies: at a request of its own, before or after that took effect; or so many simulated seconds after its start. */
export type Moment =
  | { at: "service"; operation: ServiceOperation; nth: number; side: "before" | "after" }
  | { at: "github"; operation: OperationName; nth: number; side: "before" | "after" }
  | { at: "time"; seconds: number };

/** How an entry's process is ended. `cancel`: as the platform does it when someone cancels the run. */
export interface Death {
  how: "cancel" | "SIGINT" | "SIGTERM" | "SIGKILL";
  moment: Moment;
}

/** What happens to a rented machine, and so many seconds after what. */
export interface MachineDeath {
  how: "frozen" | "rebooted" | "offline" | "back-online" | "black" | "outbid" | "removed";
  once: "created" | "running" | "online" | "job";
  seconds: number;
}

/** The faults that are in force while an entry runs; counted anew for each. */
export interface Faults {
  service: ServiceFault[];
  github: GithubFault[];
}

/** All that is drawn of one run; it depends on seed and index alone. */
export interface PlannedRun {
  seed: number;
  index: number;
  dialect: Dialect;
  offers: NonNullable<Scenario["offers"]>;
  /** `build-first`: GitHub shows the GPU job only when another job is over. */
  job: "short" | "long" | "endless" | "failing" | "build-first" | "none";
  inputs: Record<string, string>;
  faults: Record<Entry, Faults>;
  /** Those of the machine's own requests, in force all the time. */
  machineFaults: ServiceFault[];
  /** Undefined: it ends by itself. */
  mainDeath: Death | undefined;
  /** `never`: the hosted runner is gone. */
  post: "runs" | "never" | Death;
  machineDeath: MachineDeath | undefined;
  /** Where post did not do it: who ends the machines. `itself`: nobody sweeps before the label has expired. */
  without: "sweep" | "itself";
  /** True when post can't be expected to succeed: the service is away for all of its time. */
  isHeavy: boolean;
}
