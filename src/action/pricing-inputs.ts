import { booleanField, choiceField, optionalNumberField } from "./input-fields.ts";

/** The inputs about paying for the machine, named as in action.yml. USD per hour. */
export const PRICING_INPUTS = {
  pricing: choiceField(["on-demand", "bid"], "on-demand"),
  "bid-price": optionalNumberField({ min: 0.001, max: 128, unit: "USD per hour" }),
  "bid-fallback": booleanField(false),
};
