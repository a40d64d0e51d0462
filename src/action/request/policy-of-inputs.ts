import type { Policy } from "../../fleet/state/policy.ts";
import type { InputValues } from "../inputs/input-schema.ts";
import type { RunContext } from "../platform/run-context.ts";
import { limitsOf } from "./fleet-request.ts";

/** The policy of the fleet, by the inputs. */
export function policyOf(inputs: Readonly<InputValues>, { attempt }: RunContext): Policy {
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
