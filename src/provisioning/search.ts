import { oneLine } from "../foreign-text.ts";
import type { Log } from "../log.ts";
import type { Offer } from "../service/schemas/offer.ts";
import type { ServiceClient } from "../service/service-client.ts";
import { RequestRejectedError } from "../service/service-errors.ts";
import { whyNot } from "./judge-offer.ts";
import { type OfferPrice, offerPrice } from "./offer-price.ts";
import { offerQuery, seedQuery } from "./offer-query.ts";
import { describeWishes, formatPrice, type OfferWishes } from "./offer-wishes.ts";
import { NoOfferError } from "./provisioning-errors.ts";

/** An offer that meets the wishes, with its price. */
export interface Candidate {
  offer: Offer;
  price: OfferPrice;
}

/** What failed before in this use. A machine is excluded with all its offers; where it is not told, its offer is. */
export interface Excluded {
  machines: Set<number>;
  offers: Set<number>;
}

const MOST_LINES = 12;

/** The offers that meet the wishes, cheapest first, more reliable first among equals. Throws NoOfferError when there are none. */
export async function searchForOffers(
  { service, log, signal }: { service: ServiceClient; log: Log; signal: AbortSignal },
  wishes: OfferWishes,
  excluded: Excluded,
): Promise<Candidate[]> {
  log.info(`Searching for ${oneLine(describeWishes(wishes))}.`);
  const answered = await ask(service, wishes, signal);
  const judged = answered.map((offer) => {
    const hasFailed = excluded.offers.has(offer.id) || excluded.machines.has(offer.machine_id ?? Number.NaN);
    return { offer, why: hasFailed ? ["its machine failed before"] : whyNot(offer, wishes) };
  });
  const candidates = judged
    .filter(({ why }) => why.length === 0)
    .map(({ offer }): Candidate => ({ offer, price: offerPrice(offer, wishes.diskGb) }))
    .sort(cheapestFirst);
  const rejected = judged.filter(({ why }) => why.length > 0);
  tell(log, candidates, rejected);
  if (candidates.length === 0) throw new NoOfferError(describeWishes(wishes), rejected);
  return candidates;
}

/** SPEC-SILENT: the full list of operators and directions. A 400 that rejects ours is answered by asking in the seed's words. */
async function ask(service: ServiceClient, wishes: OfferWishes, signal: AbortSignal): Promise<Offer[]> {
  const query = offerQuery(wishes);
  try {
    return await service.searchOffers(query, signal);
  } catch (error) {
    if (!(error instanceof RequestRejectedError) || error.status !== 400) throw error;
    return await service.searchOffers(seedQuery(query), signal);
  }
}

function cheapestFirst(left: Candidate, right: Candidate): number {
  return left.price.total - right.price.total || (right.offer.reliability ?? 0) - (left.offer.reliability ?? 0);
}

function tell(log: Log, candidates: Candidate[], rejected: { offer: Offer; why: string[] }[]): void {
  for (const { offer, price } of candidates.slice(0, MOST_LINES))
    log.info(`  ${describeOffer(offer)}: ${formatPrice(price.total)} per hour`);
  for (const { offer, why } of rejected.slice(0, MOST_LINES))
    log.info(`  ${describeOffer(offer)}: no, ${why.join(", ")}`);
  const hidden = Math.max(0, candidates.length - MOST_LINES) + Math.max(0, rejected.length - MOST_LINES);
  if (hidden > 0) log.info(`  … and ${hidden} more`);
  log.info(`${candidates.length} of ${candidates.length + rejected.length} offers can be rented.`);
}

/** An offer in a few words of one line. */
export function describeOffer(offer: Pick<Offer, "id" | "machine_id" | "gpu_name" | "num_gpus">): string {
  return `offer ${offer.id} (${offer.num_gpus} × ${oneLine(offer.gpu_name, 60)}, machine ${offer.machine_id ?? "unknown"})`;
}
