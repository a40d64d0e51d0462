import type { Log } from "../shared/log.ts";
import { UserError } from "../shared/user-error.ts";
import type { Offer } from "../vast/schemas/offer.ts";
import type { OfferQuery } from "../vast/schemas/offer-query.ts";
import type { ServiceClient } from "../vast/service-client.ts";
import { RequestRejectedError } from "../vast/service-errors.ts";
import { priceOf } from "./bid-price.ts";
import type { Considered } from "./considered.ts";
import { expectations } from "./expectation.ts";
import { type Explanation, explainNoOffer } from "./explain-no-offer.ts";
import type { GivenFilter } from "./given-filter.ts";
import { judgeOffer } from "./judge-offer.ts";
import { ORDERINGS } from "./offer-order.ts";
import { nextQuery, offerQuery, seedQuery, widerQuery } from "./offer-query.ts";
import { describeFilter, type OfferWishes } from "./offer-wishes.ts";

/** One look: what can be rented, in order, and what can't; and why, when nothing can be. */
export interface Market {
  candidates: readonly Considered[];
  rejected: readonly Considered[];
  explanation?: Explanation;
}

/** The tools of a look. `exclude` says why an offer is never to be taken. */
export interface Looking {
  service: ServiceClient;
  log: Log;
  signal: AbortSignal;
  exclude: (offer: Offer) => string | undefined;
}

/** Four times 64 offers: a market that has none that fits among them has few at the most. */
const MOST_PAGES = 4;

/** Asks for the offers that fit; if none, for all of these GPUs, to know what is missing. */
export async function lookAtMarket(looking: Looking, wishes: OfferWishes): Promise<Market> {
  const considered = await considerPages(looking, wishes);
  const candidates = considered.filter(isFitting).sort(ORDERINGS[wishes.order].compare);
  const rejected = considered.filter(({ objections }) => objections.length > 0);
  if (candidates.length > 0) return { candidates, rejected };
  const wider = await lookWider(looking, wishes);
  const known = new Set(considered.map(({ offer }) => offer.id));
  const market = [...considered, ...wider.filter(({ offer }) => !known.has(offer.id))];
  const others = await lookAtOthers(looking, wishes);
  return {
    candidates: [],
    rejected: market.filter((each) => !isFitting(each)),
    explanation: explainNoOffer(wishes, market, others),
  };
}

function isFitting({ objections }: Considered): boolean {
  return objections.length === 0;
}

/**
 * The service shows 64 offers and has no pages. Where all of them break a rule that only we apply,
 * such as the share of memory, the search goes on from the last one: later ones may fit.
 */
async function considerPages(looking: Looking, wishes: OfferWishes): Promise<Considered[]> {
  const known = new Map<number, Considered>();
  let query: OfferQuery | undefined = offerQuery(wishes);
  for (let page = 1; query !== undefined && page <= MOST_PAGES; page += 1) {
    const offers = await ask(looking, query, wishes.filter);
    const found = consider(looking, wishes, offers).filter(({ offer }) => !known.has(offer.id));
    for (const each of found) known.set(each.offer.id, each);
    query = found.length === 0 || found.some(isFitting) ? undefined : nextQuery(query, offers);
  }
  return [...known.values()];
}

/** The market's offers of these GPUs. */
function lookWider(looking: Looking, wishes: OfferWishes): Promise<Considered[]> {
  return attempt(looking, async () => consider(looking, wishes, await ask(looking, widerQuery(wishes))));
}

/** Offers of other GPUs that meet all else; of every kind where any would have done. */
async function lookAtOthers(looking: Looking, wishes: OfferWishes): Promise<Considered[]> {
  const others = { ...wishes, gpuNames: [] };
  if (wishes.gpuNames.length === 0) return [];
  return await attempt(looking, async () =>
    consider(looking, others, await ask(looking, offerQuery(others), others.filter)),
  );
}

/** Best effort: it only serves to explain. */
async function attempt(looking: Looking, look: () => Promise<Considered[]>): Promise<Considered[]> {
  try {
    return await look();
  } catch (error) {
    looking.signal.throwIfAborted();
    if (!(error instanceof UserError)) throw error;
    looking.log.info(`What the market has otherwise could not be seen: ${error.message}`);
    return [];
  }
}

function consider(looking: Looking, wishes: OfferWishes, offers: readonly Offer[]): Considered[] {
  const expect = wishes.knowledge && expectations(wishes.knowledge);
  return offers.map((offer) => {
    const excluded = looking.exclude(offer);
    const objections = excluded === undefined ? judgeOffer(offer, wishes) : [{ why: excluded }];
    const price = priceOf(offer, wishes);
    return { offer, price, expected: expect?.(offer, price), objections };
  });
}

/**
 * SPEC-SILENT: the full list of operators. A 400 on ours has us ask in the seed's words; one on the
 * user's own filter is the user's to mend: without it the wrong offers would be judged.
 */
async function ask({ service, log, signal }: Looking, query: OfferQuery, given: GivenFilter = {}): Promise<Offer[]> {
  try {
    return await service.searchOffers(query, signal);
  } catch (error) {
    if (!(error instanceof RequestRejectedError) || error.status !== 400) throw error;
    if (error.sentence.split(/\W+/).some((word) => Object.hasOwn(given, word))) throw error;
    const plain = seedQuery(query);
    const offers = await service.searchOffers(plain, signal);
    tellDropped(log, query, plain, error.sentence);
    return offers;
  }
}

function tellDropped(log: Log, asked: OfferQuery, plain: OfferQuery, refusal: string): void {
  const dropped = Object.entries(asked.filters).filter(([field]) => !Object.hasOwn(plain.filters, field));
  if (dropped.length === 0) return;
  const words = dropped.map(([field, filter]) => `${field} ${describeFilter(filter)}`).join(", ");
  log.info(
    `The service refused the search (${refusal}) and took a plainer one. Checked here, where offers show it: ${words}.`,
  );
}
