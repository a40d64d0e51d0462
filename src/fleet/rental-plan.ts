import { type Deadline, deadlineOf, type Limits } from "../limits/lifetime.ts";
import type { Log } from "../log.ts";
import type { Report } from "../machine/report.ts";
import type { Candidate } from "../market/search.ts";
import { affordableMs, type Budget } from "../money/budget.ts";
import { describeEstimate, type Estimate, estimateCost } from "../money/estimate.ts";
import { formatPrice } from "../money/format-price.ts";

/** What is settled about a machine before it is rented: its end, and what it may cost until then. */
export interface RentalPlan extends Deadline {
  price: Report["price"];
  estimate: Estimate;
}

/** Plans a machine that would be created now. */
export function planRental(now: number, limits: Limits, { offer, price }: Candidate, budget: Budget): RentalPlan {
  const left = budget.forOffers(now);
  const end = deadlineOf(now, limits, left && affordableMs(price, offer, left));
  const prices = { ...price, inetDown: offer.inet_down_cost, inetUp: offer.inet_up_cost };
  const { imageBytes } = budget;
  const estimate = estimateCost({ price: prices, from: now, deadline: now + end.uptimeMs, imageBytes });
  return { ...end, price: prices, estimate };
}

/** Tells what a machine may cost, and warns when the account can't pay it. */
export function tellPlan(log: Log, plan: RentalPlan, budget: Budget, now: number): void {
  for (const line of describeEstimate(plan.estimate, plan.price)) log.info(line);
  const left = budget.forOffers(now);
  if (plan.cutBy === "max-cost" && left)
    log.info(`Its time is cut: ${formatPrice(left.left)} of max-cost (${formatPrice(left.maxCost)}) are left.`);
  const warning = budget.creditWarning(plan.estimate.most, now);
  if (warning) log.warning(warning);
}
