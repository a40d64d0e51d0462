import type { Marketplace, Offer, OfferQuery, Price } from "../marketplace/marketplace.ts";
import { formatPrice } from "../money/price.ts";
import { oneLine } from "../shared/foreign-text.ts";
import type { Log } from "../shared/log.ts";
import { UserError } from "../shared/user-error.ts";
import { NoOfferError } from "./errors.ts";
import { describeExpectedCost, expectations, spareCost } from "./expectation.ts";
import { type Explanation, explainNoOffer, isNear } from "./explain-no-offer.ts";
import { describeFilter, type GivenFilter, isHeld, mergeFilter, type OfferWishes } from "./offer-wishes.ts";
import { type Considered, ORDERINGS } from "./ranking.ts";
import { askedBy, describeWishes, judgeOffer } from "./rules.ts";

/** The usual bid, above the lowest: the next one who bids a little more must not win at once. */
const MARGIN = 1.1;
/** The service takes no bid below this, and this is how finely it is rounded. USD per hour. */
const LEAST = 0.001;
const STEP = 10_000;

/** An offer's price: on demand, or with the bid that is made for it. */
export function priceOf({ lowestBid, price }: Offer, { bid, maxPrice }: Pick<OfferWishes, "bid" | "maxPrice">): Price {
  if (bid === undefined) return price;
  const made = bid.price ?? usualBid(lowestBid, maxPrice - price.storage);
  return { ...price, total: made + price.storage, bid: made };
}

/** The margin is given up, as far as must be, where `max-price` leaves less. */
function usualBid(lowest: number, most: number): number {
  const wanted = Math.round(lowest * MARGIN * STEP) / STEP;
  return Math.max(LEAST, lowest, Math.min(wanted, Math.floor(most * STEP) / STEP));
}

/** The service was seen to answer at most 64 rows, whatever it is asked for. */
const MOST_OFFERS = 64;

/** The search for these wishes, in their order. */
export function offerQuery(wishes: OfferWishes): OfferQuery {
  const filters = mergeFilter(askedBy(wishes, "all"), wishes.filter);
  return { ...queryFor(wishes, filters), given: Object.keys(wishes.filter) };
}

/** The search for the GPUs alone, which tells what else keeps offers away. */
export function widerQuery(wishes: OfferWishes): OfferQuery {
  return queryFor(wishes, askedBy(wishes, "wide"));
}

/** Fields that the service filters by itself where nothing is asked. SPEC-SILENT: that `in` lifts that. */
const EITHER = { rentable: { in: [true, false] }, verified: { in: [true, false] }, rented: { eq: true } } as const;

/** The search for every offer of these GPUs: `rented: true` adds the machines that we rent. */
export function namedQuery(wishes: OfferWishes): OfferQuery {
  const { gpu_name } = askedBy(wishes, "wide");
  return { ...queryFor(wishes, { ...EITHER, ...(gpu_name && { gpu_name }) }), order: ORDERINGS.price.wire };
}

function queryFor({ bid, order, diskGb }: OfferWishes, filters: OfferQuery["filters"]): OfferQuery {
  return {
    filters,
    isInterruptible: bid !== undefined,
    order: ORDERINGS[order].wire,
    limit: MOST_OFFERS,
    diskGb,
    given: [],
  };
}

/** The same search from the last offer on; undefined: unknown how, or the answer was not full. */
function nextQuery(query: OfferQuery, answer: readonly Offer[]): OfferQuery | undefined {
  const [[field, direction] = []] = query.order;
  const last = field === undefined ? undefined : answer.at(-1)?.fields[field];
  if (field === undefined || typeof last !== "number" || answer.length < MOST_OFFERS) return undefined;
  // Its own filter on that field holds for the last offer, so the bound may stand beside it.
  const from = direction === "asc" ? { gte: last } : { lte: last };
  return { ...query, filters: { ...query.filters, [field]: { ...query.filters[field], ...from } } };
}

/**
 * Merges a template's `extra_filters` in by field: what the wishes or their own filter say of a
 * field wins (seed, Create rule 3).
 */
export function withTemplateFilter(wishes: OfferWishes, template: GivenFilter): OfferWishes {
  const asked = offerQuery({ ...wishes, filter: {} }).filters;
  const own = Object.entries(template).filter(([field]) => !Object.hasOwn(asked, field) && !isHeld(field));
  return { ...wishes, filter: { ...Object.fromEntries(own), ...wishes.filter } };
}

/** One look: what can be rented, in order, and what can't; and why, when nothing can be. */
export interface Market {
  candidates: readonly Considered[];
  rejected: readonly Considered[];
  explanation?: Explanation;
}

/** The tools of a look. `exclude` says why an offer is never to be taken. */
export interface Looking {
  service: Marketplace;
  log: Log;
  signal: AbortSignal;
  exclude: (offer: Offer) => string | undefined;
}

/** Four times 64 offers: a market that has none that fits among them has few at the most. */
const MOST_PAGES = 4;

/** Asks for the offers that fit; if none, for all of these GPUs, to know what is missing. */
async function lookAtMarket(looking: Looking, wishes: OfferWishes): Promise<Market> {
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
    explanation: explainNoOffer(wishes, market, others, await lookAtAll(looking, wishes, market)),
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
    const offers = await ask(looking, query);
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
  return await attempt(looking, async () => consider(looking, others, await ask(looking, offerQuery(others))));
}

/**
 * Every offer of these GPUs, whatever else is wished, rented ones included. Undefined: one that is
 * near is known, or the service did not search for just that.
 */
async function lookAtAll(
  looking: Looking,
  wishes: OfferWishes,
  market: readonly Considered[],
): Promise<Considered[] | undefined> {
  if (wishes.gpuNames.length === 0 || market.some((each) => isNear(each, wishes))) return undefined;
  const found = await attempt(looking, async () => {
    const { offers, plainer } = await looking.service.search(namedQuery(wishes), looking.signal);
    return plainer === undefined ? [consider(looking, wishes, offers)] : [];
  });
  return found[0];
}

/** Best effort: it only serves to explain. */
async function attempt<Found>(looking: Looking, look: () => Promise<Found[]>): Promise<Found[]> {
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
  return offers.map((shown) => {
    const price = priceOf(shown, wishes);
    const offer = { ...shown, price };
    const excluded = looking.exclude(offer);
    const objections = excluded === undefined ? judgeOffer(offer, wishes) : [{ why: excluded }];
    const expected = expect?.(offer, price);
    const asSpare = expected && wishes.order === "auto" ? { spareCost: spareCost(expected.cost) } : {};
    return { offer, price, expected, ...asSpare, objections };
  });
}

async function ask({ service, log, signal }: Looking, query: OfferQuery): Promise<Offer[]> {
  const { offers, plainer } = await service.search(query, signal);
  if (plainer) {
    const words = plainer.fields.map((field) => `${field} ${describeFilter(query.filters[field] ?? {})}`).join(", ");
    log.info(
      `The service refused the search (${plainer.refusal.sentence}) and took a plainer one. Checked here, where offers show it: ${words}.`,
    );
  }
  return offers;
}

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
  { service, log, signal }: { service: Marketplace; log: Log; signal: AbortSignal },
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
  if (offers.includes(offer.id) || machines.includes(offer.machineId ?? Number.NaN))
    return "a machine of it failed before, or a create gave no answer";
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
export function describeOffer(offer: Pick<Offer, "id" | "machineId" | "gpuName" | "numGpus">): string {
  return `offer ${offer.id} (${offer.numGpus} × ${oneLine(offer.gpuName, 60)}, machine ${offer.machineId ?? "unknown"})`;
}
