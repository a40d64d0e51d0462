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
