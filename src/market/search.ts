import { formatPrice } from "../money/format-price.ts";
import { oneLine } from "../shared/foreign-text.ts";
import type { Log } from "../shared/log.ts";
import type { Offer } from "../vast/schemas/offer.ts";
import type { ServiceClient } from "../vast/service-client.ts";
import type { Considered } from "./considered.ts";
import { describeExpectedCost } from "./expected-cost.ts";
import { lookAtMarket, type Market } from "./look-at-market.ts";
import { NoOfferError } from "./market-errors.ts";
import { describeWishes } from "./offer-rules.ts";
import type { OfferWishes } from "./offer-wishes.ts";

/** An offer that meets the wishes, with its price. */
export type Candidate = Omit<Considered, "objections">;

/** Not to be taken again in this use: a machine with all its offers, else one offer. */
export interface Excluded {
  /** Machines that failed before. */
  machines: readonly number[];
  offers: readonly number[];
  /** Offers that somebody else had when we asked for them. */
  taken?: readonly number[];
}

const MOST_LINES = 12;

/** The offers that meet the wishes, in order. Throws NoOfferError when there are none. */
export async function searchForOffers(
  { service, log, signal }: { service: ServiceClient; log: Log; signal: AbortSignal },
  wishes: OfferWishes,
  excluded: Excluded,
): Promise<Candidate[]> {
  log.info(`Searching for ${oneLine(describeWishes(wishes), 600)}.`);
  const looking = { service, log, signal, exclude: (offer: Offer) => whyExcluded(offer, excluded) };
  const market = await lookAtMarket(looking, wishes);
  tell(log, market);
  if (market.explanation !== undefined) throw new NoOfferError(describeWishes(wishes), market.explanation);
  return [...market.candidates];
}

function whyExcluded(offer: Offer, { machines, offers, taken }: Excluded): string | undefined {
  if (offers.includes(offer.id) || machines.includes(offer.machine_id ?? Number.NaN))
    return "its machine failed before";
  return taken?.includes(offer.id) ? "somebody else had it" : undefined;
}

function tell(log: Log, { candidates, rejected }: Market): void {
  for (const { offer, price, expected } of candidates.slice(0, MOST_LINES)) {
    const why = expected === undefined ? "" : `; ${describeExpectedCost(expected.cost)}`;
    log.info(`  ${describeOffer(offer)}: ${formatPrice(price.total)} per hour${why}`);
  }
  for (const { offer, price, objections } of rejected.slice(0, MOST_LINES)) {
    const why = objections.map((objection) => objection.why).join(", ");
    log.info(`  ${describeOffer(offer)}, ${formatPrice(price.total)} per hour: no, ${oneLine(why)}`);
  }
  const hidden = Math.max(0, candidates.length - MOST_LINES) + Math.max(0, rejected.length - MOST_LINES);
  if (hidden > 0) log.info(`  … and ${hidden} more`);
  log.info(`${candidates.length} of ${candidates.length + rejected.length} offers can be rented.`);
}

/** An offer in a few words of one line. */
export function describeOffer(offer: Pick<Offer, "id" | "machine_id" | "gpu_name" | "num_gpus">): string {
  return `offer ${offer.id} (${offer.num_gpus} × ${oneLine(offer.gpu_name, 60)}, machine ${offer.machine_id ?? "unknown"})`;
}
