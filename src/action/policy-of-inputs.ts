import type { FleetOptions } from "../fleet/state/policy.ts";
import { limitsOf } from "./fleet-request.ts";
import type { InputValues } from "./input-schema.ts";
import type { RunContext } from "./run-context.ts";

/** The policy of the fleet, by the inputs. */
export function policyOf(inputs: Readonly<InputValues>, { attempt }: RunContext): FleetOptions {
  const { idleMs, lifetimeMs, readyMs } = limitsOf(inputs);
  return {
    machines: inputs.machines,
    jobs: inputs.jobs,
    hedge: inputs.hedge && inputs.hold && inputs.machines > 1,
    hold: inputs.hold,
    maxPrice: inputs["max-price"],
    attempts: inputs.attempts,
    machinesPerRepository: inputs["machines-per-repository"],
    waitForJobMs: inputs["wait-for-job"],
    idleMs,
    readyMs,
    searchMs: inputs["search-timeout"],
    lifetimeMs,
    keepFailedMs: inputs["keep-failed"],
    attempt,
    hasProbe: inputs.probe !== "",
    bidFallback: inputs["bid-fallback"],
    makesVolume: inputs["volume-create-new"],
  };
}
