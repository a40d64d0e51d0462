import type { Marketplace, Offer, OfferQuery, Price } from "../marketplace/marketplace.ts";
import { formatPrice } from "../money/price.ts";
import { oneLine } from "../shared/foreign-text.ts";
import type { Log } from "../shared/log.ts";
import { UserError } from "../shared/user-error.ts";
import { NoOfferError } from "./errors.ts";
import { describeExpectedCost, expectations, urgentCost } from "./expectation.ts";
import { explainNoOffer, isNear, NOTHING_SHOWN } from "./explain-no-offer.ts";
import { describeFilter, type GivenFilter, HELD, mergeFilter, type OfferRequirements } from "./offer-requirements.ts";
import { type Candidate, type Considered, ORDERINGS } from "./ranking.ts";
import { askedBy, describeRequirements, judgeOffer, whyWithoutCode } from "./rules.ts";

/** How far the usual bid is above the lowest: the next one who bids a little more must not win at once. */
const MARGIN = 1.1;
/** The lowest bid that the service takes, in USD per hour; and how many steps a dollar is divided into. */
const LEAST = 0.001;
const STEP = 10_000;

/** Computes an offer's price: on demand, or with the bid that we would make. */
export function priceOf(
  { lowestBid, price }: Offer,
  { bid, maxPrice }: Pick<OfferRequirements, "bid" | "maxPrice">,
): Price {
  if (bid === undefined) return price;
  const wanted = Math.round(lowestBid * MARGIN * STEP) / STEP;
  // Where `max-price` leaves no room for the margin, the margin shrinks.
  const usual = Math.max(LEAST, lowestBid, Math.min(wanted, Math.floor((maxPrice - price.storage) * STEP) / STEP));
  const made = bid.price ?? usual;
  return { ...price, total: made + price.storage, bid: made };
}

/** The service was seen to answer at most 64 rows, whatever it is asked for. */
const MOST_OFFERS = 64;

/** Makes the search for these requirements. */
export function offerQuery(requirements: OfferRequirements): OfferQuery {
  const filters = mergeFilter(askedBy(requirements, "all"), requirements.offerFilter);
  return { ...queryFor(requirements, filters), given: Object.keys(requirements.offerFilter) };
}

/** Makes the search for these GPUs whatever else is required: it shows what keeps offers away. */
export function widerQuery(requirements: OfferRequirements): OfferQuery {
  return queryFor(requirements, askedBy(requirements, "wide"));
}

/** The service filters by these fields unless a search names them. SPEC-SILENT: that both values lift the filter. */
const EITHER = { rentable: { in: [true, false] }, verified: { in: [true, false] }, rented: { eq: true } } as const;

/** Makes the search for every offer of these GPUs. `rented: true` adds the machines that we rent. */
function namedQuery(requirements: OfferRequirements): OfferQuery {
  const { gpu_name } = askedBy(requirements, "wide");
  return { ...queryFor(requirements, { ...EITHER, ...(gpu_name && { gpu_name }) }), order: ORDERINGS.price.wire };
}

function queryFor({ bid, order, disk: diskGb }: OfferRequirements, filters: OfferQuery["filters"]): OfferQuery {
  const isInterruptible = bid !== undefined;
  return { filters, isInterruptible, order: ORDERINGS[order].wire, limit: MOST_OFFERS, diskGb, given: [] };
}

/** Makes the search that goes on after the last offer. Undefined: the answer was not full, or has no field for it. */
function nextQuery(query: OfferQuery, answer: readonly Offer[]): OfferQuery | undefined {
  const [[field, direction] = []] = query.order;
  const last = field === undefined ? undefined : answer.at(-1)?.fields[field];
  if (field === undefined || typeof last !== "number" || answer.length < MOST_OFFERS) return undefined;
  // The user's own filter on that field holds for the last offer, so the bound may be added to it.
  const from = direction === "asc" ? { gte: last } : { lte: last };
  return { ...query, filters: { ...query.filters, [field]: { ...query.filters[field], ...from } } };
}

/** Adds a template's `extra_filters`, except where the inputs ask (specification, Create rule 3). */
export function withTemplateFilter(requirements: OfferRequirements, template: GivenFilter): OfferRequirements {
  const asked = offerQuery({ ...requirements, offerFilter: {} }).filters;
  const own = Object.entries(template).filter(([field]) => !Object.hasOwn(asked, field) && !HELD.has(field));
  return { ...requirements, offerFilter: { ...Object.fromEntries(own), ...requirements.offerFilter } };
}

/** The result of one look at the market: what can be rented, in order, what can't, and why if nothing can. */
type SearchedMarket = Awaited<ReturnType<typeof lookAtMarket>>;

/** What a look takes. `exclude` says why an offer must not be taken, if it must not. */
interface Looking {
  service: Marketplace;
  log: Log;
  signal: AbortSignal;
  exclude: (offer: Offer) => string | undefined;
}

/** We read four times 64 offers: if none of them fits, hardly any does. */
const MOST_OFFER_PAGES = 4;

/** Looks for offers that fit. If there are none and `isWide`, looks at all offers of these GPUs to explain why. */
async function lookAtMarket(looking: Looking, requirements: OfferRequirements, isWide: boolean) {
  const considered = await considerPages(looking, requirements);
  const candidates = considered.filter(isFitting).sort(ORDERINGS[requirements.order].compare);
  const rejected = considered.filter(({ objections }) => objections.length > 0);
  if (candidates.length > 0) return { candidates, rejected };
  if (!isWide) return { candidates, rejected, explanation: rejected[0] && explainNoOffer(requirements, rejected) };
  const lookFor = async (asked: OfferRequirements, query: OfferQuery) =>
    (await attempt(looking, async () => consider(looking, asked, await askForOffers(looking, query)))) ?? [];
  const wider = await lookFor(requirements, widerQuery(requirements));
  const known = new Set(considered.map(({ offer }) => offer.id));
  const market = [...considered, ...wider.filter(({ offer }) => !known.has(offer.id))];
  const ofAny = { ...requirements, gpuName: [] };
  const others = requirements.gpuName.length === 0 ? [] : await lookFor(ofAny, offerQuery(ofAny));
  const all = await lookAtAll(looking, requirements, market);
  // That it shows none of these GPUs counts only where the service shows any offer at all.
  const any = { ...ofAny, numGpus: 1 };
  const isAnswering =
    [market, others, all ?? []].some((found) => found.length > 0) || (await lookFor(any, widerQuery(any))).length > 0;
  const explanation = isAnswering ? explainNoOffer(requirements, market, others, all) : NOTHING_SHOWN;
  return { candidates, rejected: market.filter((each) => !isFitting(each)), explanation };
}

function isFitting({ objections }: Considered): boolean {
  return objections.length === 0;
}

/** Looks at offers until one fits: where all of 64 break a rule that only we apply, on from the last. */
async function considerPages(looking: Looking, requirements: OfferRequirements): Promise<Considered[]> {
  const known = new Map<number, Considered>();
  let query: OfferQuery | undefined = offerQuery(requirements);
  for (let page = 1; query !== undefined && page <= MOST_OFFER_PAGES; page += 1) {
    const offers = await askForOffers(looking, query);
    const found = consider(looking, requirements, offers).filter(({ offer }) => !known.has(offer.id));
    for (const each of found) known.set(each.offer.id, each);
    query = found.length === 0 || found.some(isFitting) ? undefined : nextQuery(query, offers);
  }
  return [...known.values()];
}

/** Looks for every offer of these GPUs, even rented. Undefined: a near one is known, or that search was refused. */
async function lookAtAll(
  looking: Looking,
  requirements: OfferRequirements,
  market: readonly Considered[],
): Promise<Considered[] | undefined> {
  if (requirements.gpuName.length === 0 || market.some((each) => isNear(each, requirements))) return undefined;
  return await attempt(looking, async () => {
    const { offers, plainer } = await looking.service.search(namedQuery(requirements), looking.signal);
    return plainer === undefined ? consider(looking, requirements, offers) : undefined;
  });
}

/** Tries a look that only serves to explain: if it fails, the log says so. */
async function attempt<Found>(looking: Looking, look: () => Promise<Found>): Promise<Found | undefined> {
  try {
    return await look();
  } catch (error) {
    looking.signal.throwIfAborted();
    if (!(error instanceof UserError)) throw error;
    looking.log.info(`What the market has otherwise could not be seen: ${error.message}`);
    return undefined;
  }
}

function consider(looking: Looking, requirements: OfferRequirements, offers: readonly Offer[]): Considered[] {
  const expect = requirements.knowledge && expectations(requirements.knowledge);
  return offers.map((shown) => {
    const price = priceOf(shown, requirements);
    const offer = { ...shown, price };
    const excluded = looking.exclude(offer);
    const objections = excluded === undefined ? judgeOffer(offer, requirements) : [{ why: excluded }];
    const expected = expect?.(offer, price);
    const isByCost = expected !== undefined && requirements.order === "auto";
    const asUrgent = isByCost ? urgentCost(expected.cost, expected.bootMs) : undefined;
    const withoutCode = whyWithoutCode(offer, requirements);
    return { offer, price, expected, urgentCost: asUrgent, withoutCode, objections };
  });
}

async function askForOffers({ service, log, signal }: Looking, query: OfferQuery): Promise<Offer[]> {
  const { offers, plainer } = await service.search(query, signal);
  if (plainer) {
    const words = plainer.fields.map((field) => `${field} ${describeFilter(query.filters[field] ?? {})}`).join(", ");
    log.info(
      `Vast.ai refused the search (${plainer.refusal.sentence}) and took a plainer one. Checked here, where offers show it: ${words}.`,
    );
  }
  return offers;
}

/** What is not to be asked for now: hosts with all their offers, or single offers. */
export interface Paused {
  /** Hosts whose machines failed, or did not answer a create, by `machine_id`. */
  hosts: readonly number[];
  offers: readonly number[];
  /** Offers that somebody else had when we asked for them. */
  taken?: readonly number[];
}

const MOST_SHOWN_OFFERS = 12;

/** Finds offers that fit, best first. Throws NoOfferError if none does; unless `isWide`, only if these say why. */
export async function searchForOffers(
  deps: Omit<Looking, "exclude">,
  requirements: OfferRequirements,
  paused: Paused,
  isWide = true,
): Promise<Candidate[]> {
  const { log } = deps;
  log.info(`Searching for ${oneLine(describeRequirements(requirements), 600)}.`);
  const looking = { ...deps, exclude: (offer: Offer) => whyPaused(offer, paused) };
  const market = await lookAtMarket(looking, requirements, isWide);
  logMarket(log, market);
  if (market.explanation !== undefined) throw new NoOfferError(describeRequirements(requirements), market.explanation);
  return [...market.candidates];
}

/** Says why an offer is not to be asked for now. Undefined: it may be. */
export function whyPaused(
  { id, machineId }: Pick<Offer, "id" | "machineId">,
  { hosts, offers, taken }: Paused,
): string | undefined {
  if (offers.includes(id) || hosts.includes(machineId ?? Number.NaN))
    return "a machine of it failed lately, or a create gave no answer";
  return taken?.includes(id) ? "somebody else had it lately" : undefined;
}

function logMarket(log: Log, { candidates, rejected }: SearchedMarket): void {
  for (const { offer, price, expected } of candidates.slice(0, MOST_SHOWN_OFFERS)) {
    const why = expected === undefined ? "" : `; ${describeExpectedCost(expected.cost)}`;
    log.info(`  ${describeOffer(offer)}: ${formatPrice(price.total)} per hour${why}`);
  }
  for (const { offer, price, objections } of rejected.slice(0, MOST_SHOWN_OFFERS)) {
    const why = objections.map((objection) => objection.why).join(", ");
    log.info(`  ${describeOffer(offer)}, ${formatPrice(price.total)} per hour: no, ${oneLine(why)}`);
  }
  const hidden = Math.max(0, candidates.length - MOST_SHOWN_OFFERS) + Math.max(0, rejected.length - MOST_SHOWN_OFFERS);
  if (hidden > 0) log.info(`  … and ${hidden} more`);
  log.info(`${candidates.length} of ${candidates.length + rejected.length} offers can be rented.`);
}

/** Describes an offer in a few words. */
export function describeOffer(offer: Pick<Offer, "id" | "machineId" | "gpuName" | "numGpus">): string {
  return `offer ${offer.id} (${offer.numGpus} × ${oneLine(offer.gpuName, 60)}, host ${offer.machineId ?? "unknown"})`;
}
