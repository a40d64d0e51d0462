import type { OfferBudget } from "../money/budget.ts";
import type { Look } from "./lifecycle/evidence.ts";
import type { Rules } from "./options.ts";
import type { Fleet } from "./state.ts";

/** What a decision is based on. `budget`: what max-cost leaves. Undefined: no limit. */
export interface Facts {
  fleet: Fleet;
  rules: Rules;
  now: number;
  look: Look;
  budget: OfferBudget | undefined;
}

const OF_MACHINE = "machine ";

/** The finding that every job of ours is over, and none badly. */
export const WELL_OVER = "end: over, well";

/** Returns the key of a finding about a machine, for the findings. */
export function findingOf(machineNo: number, what: string): string {
  return `${OF_MACHINE}${machineNo}: ${what}`;
}

/** True for the key of a finding about a machine. */
export function isMachineKey(key: string): boolean {
  return key.startsWith(OF_MACHINE);
}
