import type { Limits } from "../money/lifetime.ts";
import type { InstanceWishes } from "./instance-config.ts";

/** The demands of one use on each machine that it rents. */
export interface RentRequest {
  /** The label prefix of this use. */
  prefix: string;
  /** A runner is named `<runnerNamePrefix>-<n>`; a machine's further ones `…-<n>-<k>`. */
  runnerNamePrefix: string;
  instance: InstanceWishes;
  limits: Limits;
  /** How many jobs a machine may run, one after another. */
  jobsPerMachine: number;
  /** The script, as sent. */
  onstart: string;
  /** The instance's environment. `deadline` in Unix seconds, `uptimeMs` the time until then. */
  env: (machine: { jitConfigs: readonly string[]; deadline: number; uptimeMs: number }) => Record<string, string>;
}
