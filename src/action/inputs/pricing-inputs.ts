import { booleanField, choiceField, optionalNumberField } from "./input-fields.ts";

/** The inputs that say how the machine is paid, by their names in action.yml. Prices in USD per hour. */
export const PRICING_INPUTS = {
  pricing: choiceField(["on-demand", "bid"], "on-demand"),
  "bid-price": optionalNumberField({ min: 0.001, max: 128, unit: "USD per hour" }),
  "bid-fallback": booleanField(false),
};
