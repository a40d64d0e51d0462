import type { Policy } from "../../fleet/state/policy.ts";
import type { InputValues } from "../inputs/input-schema.ts";
import type { RunContext } from "../platform/run-context.ts";

/** The policy of the fleet, by the inputs. */
export function policyOf(inputs: Readonly<InputValues>, { attempt }: RunContext): Policy {
  const setupMs = inputs.setup === "" ? 0 : inputs["setup-timeout"];
  return {
    machines: inputs.machines,
    jobs: inputs.jobs,
    hedge: inputs.hedge && inputs.hold && inputs.machines > 1,
    hold: inputs.hold,
    maxPrice: inputs["max-price"],
    attempts: inputs.attempts,
    machinesPerRepository: inputs["machines-per-repository"],
    waitForJobMs: inputs["wait-for-job"],
    idleMs: inputs["idle-timeout"],
    // The user's own lines are not the market's fault: their time counts on top.
    readyMs: inputs["ready-timeout"] + setupMs,
    searchMs: inputs["search-timeout"],
    lifetimeMs: inputs["max-lifetime"],
    keepFailedMs: inputs["keep-failed"],
    attempt,
    hasProbe: inputs.probe !== "",
    bidFallback: inputs["bid-fallback"],
  };
}

/** Told once where `hedge` can do nothing: one machine leaves no room for a spare. */
export function spareLines({ hedge, hold, machines }: Pick<InputValues, "hedge" | "hold" | "machines">): string[] {
  if (!hedge || !hold || machines > 1) return [];
  return ["machines is 1: no other machine is started for one that is late (hedge)."];
}
