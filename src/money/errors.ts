import { capitalized } from "../shared/text.ts";
import { UserError } from "../shared/user-error.ts";
import type { OfferBudget } from "./budget.ts";
import { describeMonth, type Month } from "./month.ts";
import { formatAbout, formatBeside, formatPrice } from "./price.ts";

/** Says that nothing bills, as no create was ever sent. */
export const NOTHING_RENTED = "Nothing was rented.";
/** Says that nothing bills any more, as all that was rented is destroyed. */
export const NOTHING_LEFT = "Nothing is rented any more.";
/** Says that an instance may still turn up, whatever a create was answered: no list was read after it. */
export const MAY_TURN_UP =
  "A create may have made an instance that no list shows yet. The post step looks for it and destroys it.";

/** Says that what is left of `max-cost` buys no other machine. */
export class BudgetError extends UserError {
  constructor({ maxCost, left }: OfferBudget, failures: readonly string[], billing: string) {
    const cost = `${capitalized(formatAbout(maxCost - left))} of max-cost (${formatPrice(maxCost)}) is used up, and what is left is too little for another machine.`;
    super([cost, ...failures, billing].join(" "), {
      kind: "no-machine",
      hint: "Raise max-cost, or shorten boot-timeout and online-timeout: a machine is only rented if they and 5 minutes of work can be paid.",
    });
  }
}

/** Says that what is left of `max-cost-30d` buys no other machine. */
export class MonthlyCostError extends UserError {
  constructor(month: Month, billing: string, failures: readonly string[] = []) {
    const spent = `This workflow has spent ${describeMonth(month)}, and what is left pays no other machine.`;
    super([spent, ...failures, billing].join(" "), {
      kind: "no-machine",
      hint: "Raise max-cost-30d, or wait: what was spent more than 30 days ago does not count.",
    });
  }
}

/** Says that the account has less credit than `min-credit` asks for. */
export class LowCreditError extends UserError {
  constructor(credit: number, minCredit: number) {
    super(
      `The service's account has ${formatBeside(credit, minCredit)} of credit, less than min-credit (${formatPrice(minCredit)}). ${NOTHING_RENTED}`,
      { hint: "Add credit to the service's account, or lower min-credit." },
    );
  }
}
