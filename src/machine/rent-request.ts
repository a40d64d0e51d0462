import type { Limits } from "../limits/lifetime.ts";
import type { InstanceWishes } from "./instance-config.ts";

/** What one use of the action asks of each machine that it rents. */
export interface RentRequest {
  /** The label prefix of this use. */
  prefix: string;
  /**
   * Every runner is named `<runnerNamePrefix>-<n>`, the second and further ones of a machine
   * `…-<n>-<k>`.
   */
  runnerNamePrefix: string;
  instance: InstanceWishes;
  limits: Limits;
  /** How many jobs a machine may run, one after another. */
  jobsPerMachine: number;
  /** The script, as sent. */
  onstart: string;
  /**
   * The environment of an instance. `deadline` in Unix seconds, `uptimeMs` the same as a length of
   * time.
   */
  env: (machine: { jitConfigs: readonly string[]; deadline: number; uptimeMs: number }) => Record<string, string>;
}
