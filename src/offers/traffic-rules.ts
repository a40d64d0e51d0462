import { imageMark, knownOf } from "../history/hosts.ts";
import type { Offer } from "../marketplace/marketplace.ts";
import { knownBytesUsd } from "../money/cost.ts";
import { formatBeside, formatLimit, formatPrice } from "../money/price.ts";
import { HOUR_MS } from "../shared/duration.ts";
import { expectedBytes } from "../timing/boot.ts";
import type { OfferRequirements, OfferRule } from "./offer-requirements.ts";

/** Makes the row of one direction: each host sets its own price of traffic. */
function priceRule(field: string, direction: string, perGb: (offer: Offer) => number | undefined): OfferRule {
  const price = (offer: Offer) => perGb(offer) ?? 0;
  return {
    field,
    remedy: { verb: "Raise", input: "max-traffic-price" },
    asked: ({ maxTrafficPrice: most }) => (most === undefined ? undefined : { lte: most }),
    broken: (offer, { maxTrafficPrice: most = Number.POSITIVE_INFINITY }) => !(price(offer) <= most),
    why: (offer, { maxTrafficPrice: most = 0 }) => `${formatBeside(price(offer), most)} per GB ${direction}`,
    measure: (offer) => -price(offer),
  };
}

/** The rules about traffic: before the job it may cost no more than the machine, nor than the account has. */
export const TRAFFIC_RULES: readonly OfferRule[] = [
  {
    ...priceRule("inet_down_cost", "down", ({ price }) => price.inetDown),
    inWords: ({ maxTrafficPrice: most }) =>
      most === undefined ? undefined : `traffic at most ${formatLimit(most)} per GB`,
  },
  priceRule("inet_up_cost", "up", ({ price }) => price.inetUp),
  {
    // Not a field of the service, as it depends on the image.
    field: "traffic",
    remedy: { verb: "Take a smaller", input: "image" },
    broken: (offer, requirements) => !(trafficUsd(offer, requirements) <= mostTraffic(requirements).usd),
    why(offer, requirements) {
      const { usd, words } = mostTraffic(requirements);
      return `traffic of ${formatBeside(trafficUsd(offer, requirements), usd)} for image and runner, more than ${words}`;
    },
    measure: (offer, requirements) => -trafficUsd(offer, requirements),
  },
];

/** Expects what a machine costs in USD before its job begins, for image and runner. */
function trafficUsd({ machineId, price }: Offer, { knowledge }: OfferRequirements): number {
  if (knowledge === undefined) return 0;
  const { history, image, now } = knowledge;
  const { hasImage } = knownOf(history, machineId, imageMark(image), now);
  return knownBytesUsd(price.inetDown, hasImage ? 0 : expectedBytes(image)) ?? 0;
}

function mostTraffic({ credit = Number.POSITIVE_INFINITY, knowledge, maxPrice }: OfferRequirements) {
  const machine = (maxPrice * Math.max(HOUR_MS, knowledge?.jobMs ?? 0)) / HOUR_MS;
  if (credit < machine) return { usd: credit, words: `the account's credit (${formatPrice(credit)})` };
  return { usd: machine, words: `the machine may cost (${formatPrice(machine)})` };
}
