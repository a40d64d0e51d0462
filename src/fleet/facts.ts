import type { OfferBudget } from "../money/budget.ts";
import type { Rules } from "./options.ts";
import type { Fleet } from "./state.ts";

/** What a decision is based on. `budget`: what max-cost leaves. Undefined: no limit. */
export interface Facts {
  fleet: Fleet;
  rules: Rules;
  now: number;
  budget: OfferBudget | undefined;
}

const OF_MACHINE = "machine ";

/** Returns the key of a finding about a machine, for the findings. */
export function findingOf(machineNo: number, what: string): string {
  return `${OF_MACHINE}${machineNo}: ${what}`;
}

/** True for the key of a finding about a machine. */
export function isMachineKey(key: string): boolean {
  return key.startsWith(OF_MACHINE);
}
