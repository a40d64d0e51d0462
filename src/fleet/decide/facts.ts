import type { OfferBudget } from "../../money/budget.ts";
import type { Rules } from "../options.ts";
import type { Fleet } from "../state.ts";

/** What a decision is made of. `budget`: what max-cost leaves; undefined: no bound. */
export interface Facts {
  fleet: Fleet;
  rules: Rules;
  now: number;
  budget: OfferBudget | undefined;
}

const OF_MACHINE = "machine ";

/** The key of a finding about a machine, among the findings that wait for a second look. */
export function findingOf(machineNo: number, what: string): string {
  return `${OF_MACHINE}${machineNo}: ${what}`;
}

/** True for the key of a finding about a machine. */
export function isOfMachine(key: string): boolean {
  return key.startsWith(OF_MACHINE);
}
