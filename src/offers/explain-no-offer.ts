import { formatLimit, formatPrice } from "../money/price.ts";
import { oneLine } from "../shared/foreign-text.ts";
import { capitalized } from "../shared/text.ts";
import { askedNames, nearestNames, sameName } from "./gpu-names.ts";
import type { OfferRequirements } from "./offer-requirements.ts";
import type { Considered } from "./ranking.ts";

/** Why no offer fits, in one sentence, and what to do. */
export interface Explanation {
  sentence: string;
  hint: string;
  /** The input that alone keeps offers away, if there is one. */
  input?: string;
  /** Waiting can't help: no host offers such a GPU, or not below twice `max-price`. */
  isHopeless?: true;
}

/**
 * Explains why no offer fits. `market`: offers of these GPUs, with what is wrong. `others`: offers of other GPUs,
 * judged by everything else. `all`: every offer of these GPUs, even rented; undefined: not asked for.
 */
export function explainNoOffer(
  requirements: OfferRequirements,
  market: readonly Considered[],
  others: readonly Considered[] = [],
  all?: readonly Considered[],
): Explanation {
  const explained = explainMarket(requirements, market, others);
  if (all === undefined) return withOthers(explained, requirements, others);
  const named = all.filter(({ offer }) => isAsked(offer.gpuName, requirements));
  const [first] = named.toSorted((left, right) => left.price.total - right.price.total);
  if (first === undefined) return { ...withOthers(explained, requirements, others), isHopeless: true };
  const isFar = !isNear(first, requirements);
  const none = isFar
    ? explainPrice(requirements, first, "there is, rented or not,")
    : (explainCount(requirements, named) ?? RENTED);
  // What could be rented is the better advice.
  const explanation = withOthers(market.length > 0 ? explained : none, requirements, others);
  return isFar ? { ...explanation, isHopeless: true } : explanation;
}

/** A market that shows nothing of anything answers no question. */
export const NOTHING_SHOWN: Explanation = {
  sentence: "The service shows no offer at all, of any GPU.",
  hint: "Run the job again later, and look whether the service has trouble.",
};

const RENTED: Explanation = {
  sentence: "The service has such GPUs, and shows none that is for rent now.",
  hint: "Run the job again later.",
};

/** Explains that such GPUs are for rent, but not so many in one machine. `named`: offers of these GPUs, whatever else they are. */
function explainCount(requirements: OfferRequirements, named: readonly Considered[]): Explanation | undefined {
  // Nobody can have what breaks a rule without a remedy: it is rented, or not verified.
  const onOffer = named.filter(({ objections }) => objections.every(({ rule }) => rule?.remedy !== undefined));
  const counts = [...new Set(onOffer.map(({ offer }) => offer.numGpus))].sort((left, right) => left - right);
  if (counts.length === 0 || counts.includes(requirements.numGpus)) return undefined;
  const names = [...new Set(onOffer.map(({ offer }) => oneLine(offer.gpuName, 60)))].slice(0, 8).join(" or ");
  const listed = (type: "conjunction" | "disjunction") =>
    new Intl.ListFormat("en-GB", { type }).format(counts.map(String));
  const gpus = counts.length === 1 && counts[0] === 1 ? "GPU" : "GPUs";
  return {
    sentence: `${names} is on offer with ${listed("conjunction")} ${gpus}, not with ${requirements.numGpus}.`,
    hint: `Set num-gpus to ${listed("disjunction")}, or run the job again later.`,
    input: "num-gpus",
  };
}

/** An offer at this many times `max-price` won't come down far enough by tomorrow. */
const FAR = 2;

/** True for an offer whose price may yet come down to `max-price`. */
export function isNear({ price }: Considered, { maxPrice }: OfferRequirements): boolean {
  return price.total < FAR * maxPrice;
}

type Offers = readonly Considered[];

function withOthers(explained: Explanation, requirements: OfferRequirements, others: Offers): Explanation {
  const isOther = ({ objections, offer }: Considered) =>
    objections.length === 0 && !isAsked(offer.gpuName, requirements);
  const other = commonest(others.filter(isOther));
  // If no host offers a GPU by that name, the hint already has the name that was meant.
  if (other === undefined || explained.input === "gpu-name") return explained;
  return { ...explained, hint: `${explained.hint} Or add ${other.name} to gpu-name: ${other.fit}.` };
}

function explainMarket(requirements: OfferRequirements, market: Offers, others: Offers): Explanation {
  const unshown = market.filter(({ objections }) => objections.length === 0);
  if (unshown.length > 0) return explainUnshown(unshown);
  const near = nearest(requirements, market);
  if (near) return near.rule.field === "dph_total" ? explainPrice(requirements, near.first) : explainRule(near);
  const widenable = market.filter(({ objections }) => objections.every(({ rule }) => rule?.remedy !== undefined));
  const [offer] = widenable.toSorted((left, right) => left.objections.length - right.objections.length);
  return offer ? explainSeveral(offer) : explainNone(requirements, market, others);
}

/**
 * Finds the rule that alone keeps most offers away; among equals, the one that keeps the cheapest offer away. `first`:
 * of these, the offer that is nearest to meeting it.
 */
function nearest(requirements: OfferRequirements, market: Offers) {
  const failing = market.filter(({ objections }) => objections.length === 1);
  const byRule = Map.groupBy(failing, ({ objections }) => objections[0]?.rule);
  const nears = [...byRule].flatMap(([rule, offers]) => {
    const measure = (each: Considered) => rule?.measure?.(each.offer, requirements) ?? 0;
    const [first] = offers.toSorted(
      (left, right) => measure(right) - measure(left) || left.price.total - right.price.total,
    );
    return rule?.remedy && first ? [{ rule, remedy: rule.remedy, first, offers }] : [];
  });
  const [most] = nears.toSorted(
    (left, right) => right.offers.length - left.offers.length || cheapest(left.offers) - cheapest(right.offers),
  );
  return most;
}

function explainPrice(requirements: OfferRequirements, first: Considered, which = "that fits otherwise"): Explanation {
  // Rounded up, so that the price that is named is one that would do.
  const price = formatPrice(Math.ceil(first.price.total * 100) / 100);
  return {
    sentence: `No ${nameGpus(requirements)} under ${formatLimit(requirements.maxPrice)} per hour: the cheapest ${which} is ${price}.`,
    hint: `Raise max-price to ${price} or more.`,
  };
}

function explainRule({ first, offers, remedy }: NonNullable<ReturnType<typeof nearest>>): Explanation {
  const count = offers.length === 1 ? "one offer" : `${offers.length} offers`;
  return {
    sentence: `Only ${remedy.input} keeps ${count} away, from ${formatPrice(cheapest(offers))} per hour; the nearest: ${whys(first)}.`,
    hint: `${remedy.verb} ${remedy.input}, or run the job again later.`,
    input: remedy.input,
  };
}

function explainSeveral(offer: Considered): Explanation {
  const remedies = offer.objections.flatMap(({ rule }) => (rule?.remedy ? [rule.remedy] : []));
  const todo = [...new Set(remedies.map(({ verb, input }) => `${verb.toLowerCase()} ${input}`))].join(", ");
  return {
    sentence: `The nearest offer fails in ${offer.objections.length} things: ${whys(offer)}.`,
    hint: `${capitalized(todo)}.`,
  };
}

/** Explains offers that only the service's own search kept away, for a reason that we can't see. */
function explainUnshown(offers: readonly Considered[]): Explanation {
  return {
    sentence: `Of these GPUs the service has ${offers.length === 1 ? "one offer" : `${offers.length} offers`}, from ${formatPrice(cheapest(offers))} per hour, which something keeps away that it does not show.`,
    hint: "Widen the min-… inputs, geolocation or offer-filter, one at a time.",
  };
}

function isAsked(name: string, { gpuName }: OfferRequirements): boolean {
  return gpuName.some((each) => sameName(each, name));
}

/** Finds the GPU with the most fitting offers, and describes them: `17 fit, from 0.31 USD per hour`. */
function commonest(fitting: readonly Considered[]): { name: string; fit: string } | undefined {
  const byName = [...Map.groupBy(fitting, ({ offer }) => offer.gpuName)];
  const [most] = byName.toSorted(
    ([, left], [, right]) => right.length - left.length || cheapest(left) - cheapest(right),
  );
  if (most === undefined) return undefined;
  const [name, offers] = most;
  const fit = offers.length === 1 ? "one fits" : `${offers.length} fit`;
  return { name: oneLine(name, 60), fit: `${fit}, from ${formatPrice(cheapest(offers))} per hour` };
}

function explainNone(requirements: OfferRequirements, market: Offers, others: Offers): Explanation {
  const reasons = [...new Set(market.map(whys))].slice(0, 5).join("; ");
  if (reasons) {
    return {
      sentence: `${market.length === 1 ? "The one offer that the service has can't" : `None of the ${market.length} offers that the service has can`} be had: ${reasons}.`,
      hint: "Run the job again later, or widen gpu-name or num-gpus.",
    };
  }
  const shown = others.map(({ offer }) => offer.gpuName);
  const meant = [...new Set(requirements.gpuName.flatMap((name) => nearestNames(name, shown)))];
  const asked = askedNames(requirements.gpuName);
  if (meant.length > 0 && !meant.some((name) => asked.includes(name))) {
    const of = others.filter(({ objections, offer }) => objections.length === 0 && meant.includes(offer.gpuName));
    const fit = commonest(of)?.fit;
    return {
      sentence: `The service shows no ${nameGpus(requirements)} at all: no host offers a GPU by that name.`,
      hint: `Set \`gpu-name: ${oneLine(meant.join(", "), 200)}\`, the nearest that the service knows${fit === undefined ? "" : `: ${fit}`}.`,
      input: "gpu-name",
    };
  }
  return {
    sentence: `The service shows no ${nameGpus(requirements)} at all.`,
    hint: "Widen gpu-name or num-gpus, and check that gpu-name is spelled as on the service's site.",
  };
}

/** Names the GPUs as people do: `RTX 4090 or L40S`, `2 × RTX 4090`. */
function nameGpus({ gpuName, numGpus }: OfferRequirements): string {
  const names = gpuName.join(" or ") || "GPU";
  return numGpus === 1 ? names : `${numGpus} × ${names}`;
}

function cheapest(offers: readonly Considered[]): number {
  // Not Math.min(...prices): a call takes no hundred thousand arguments.
  return offers.reduce((lowest, { price }) => Math.min(lowest, price.total), Number.POSITIVE_INFINITY);
}

function whys({ objections }: Considered): string {
  return oneLine(objections.map(({ why }) => why).join(", "), 150);
}
