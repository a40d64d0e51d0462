import { type Rental as RentalOfMachine, rent } from "../create/rent.ts";
import { finishedMs } from "../github/gpu-jobs.ts";
import { NoOfferError } from "../market/errors.ts";
import { describeExpectedCost, knowledgeOf } from "../market/expectation.ts";
import { type Candidate, describeOffer, searchForOffers } from "../market/search.ts";
import { describePull, pullMs } from "../money/boot.ts";
import type { OfferBudget } from "../money/budget.ts";
import { describeEstimate } from "../money/cost.ts";
import { describeExpectedBoot } from "../money/limits.ts";
import { describePrice } from "../money/price.ts";
import { formatDuration } from "../shared/duration.ts";
import type { Log } from "../shared/log.ts";
import { isPassing, UserError } from "../shared/user-error.ts";
import { noteRentOutcome } from "./note-rent.ts";
import type { FleetDeps } from "./observe/fleet-deps.ts";
import { hasOther, takenOffers } from "./plan/pick-offer.ts";
import { reportsOf, reportsOnceGiven } from "./reports.ts";
import { rentOnDemand } from "./state/end-machine.ts";
import type { Fleet } from "./state/fleet.ts";
import type { FleetRequest } from "./state/fleet-request.ts";
import type { Machine } from "./state/machine.ts";
import type { FleetOptions } from "./state/policy.ts";
import {
  budgetLeft,
  creditWarning,
  deadlineLimits,
  describeCut,
  isPayable,
  planRental,
  shareOf,
  termsOf,
  timingOf,
} from "./state/rental.ts";
import { isAlive } from "./state/stage.ts";

/** The effect of an act on the fleet when it is over. */
export type Change = (fleet: Fleet) => void;

/** The tools of acts. */
export interface Acting {
  deps: FleetDeps;
  request: FleetRequest;
  policy: FleetOptions;
  /** Takes machines' secrets out of what they printed, by their numbers. */
  hiders: Map<number, (text: string) => string>;
}

const FIRST_PAUSE_MS = 15_000;
const LONGEST_PAUSE_MS = 120_000;

/**
 * Asks what there is. No fitting offer is an answer, a fault counts as an empty market. A refusal
 * is believed when the next search is refused, too: machines work on, and one may be wrong.
 */
export async function search(acting: Acting, fleet: Readonly<Fleet>): Promise<Change> {
  const { isOnDemand } = fleet;
  const change = await look(acting, fleet);
  return (now) => {
    // An outbid machine may have ended all bids meanwhile: what was found is for bids.
    if (now.isOnDemand === isOnDemand) change(now);
  };
}

async function look({ deps, request, policy }: Acting, fleet: Readonly<Fleet>): Promise<Change> {
  const { clock } = deps;
  const searchedAt = clock.now();
  const times = fleet.market?.times ?? 0;
  const pause = Math.min(FIRST_PAUSE_MS * 2 ** times, LONGEST_PAUSE_MS);
  const searchAgainAt = searchedAt + pause;
  const bid = fleet.isOnDemand ? undefined : request.offer.bid;
  const mayFallBack = bid !== undefined && policy.bidFallback;
  const knowledge = knowledgeOf(request, finishedMs(fleet.jobs), deps.history, searchedAt);
  const wishes = {
    ...request.offer,
    knowledge,
    bid,
    budget: budgetLeft(request, reportsOnceGiven(fleet, policy, searchedAt), searchedAt),
  };
  try {
    const excluded = { ...fleet.excluded, taken: takenOffers(fleet, searchedAt) };
    const candidates = await searchForOffers({ ...deps, log: logOf(deps, times) }, wishes, excluded);
    return (now) => {
      now.market = { searchedAt, searchAgainAt, times: 0, candidates };
      // An offer that is a machine's own already brings no other one.
      if (mayFallBack && !hasOther(now, searchedAt)) rentOnDemand(now);
    };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const isRefused = isRefusal(error) && isRefusal(fleet.market?.nothing);
    deps.log.info(
      `${whyNothing(error, fleet)} Searching again in ${formatDuration(pause)}, if a machine is still wanted.`,
    );
    return (now) => {
      now.market = { searchedAt, searchAgainAt, times: times + 1, candidates: [], nothing: error };
      if (isRefused) now.refusal = { by: "request", error: (after) => error.and(after) };
      if (mayFallBack && isOfNoUse(error, now)) rentOnDemand(now);
    };
  }
}

/** True if no bid brings a machine. What max-cost sets aside for those there are comes back. */
function isOfNoUse(error: UserError, { machines }: Readonly<Fleet>): boolean {
  if (!(error instanceof NoOfferError)) return false;
  return error.explanation.input !== "max-cost" || !machines.some(isAlive);
}

/** Advice is for whoever has no machine: beside one that was to be had, the reason alone. */
function whyNothing(error: UserError, { machines }: Readonly<Fleet>): string {
  if (!(error instanceof NoOfferError)) return error.message;
  const { hint, sentence } = error.explanation;
  return machines.length > 0 ? sentence : `${sentence} ${hint}`;
}

/** The service's word against the search itself. */
function isRefusal(error: UserError | undefined): boolean {
  return error !== undefined && !(error instanceof NoOfferError) && !isPassing(error);
}

/** The first of several searches in a row tells each offer, and why not; the others are quiet. */
function logOf({ log }: FleetDeps, times: number): Log {
  return times === 0 ? log : { info() {}, warning: (line) => log.warning(line), stage: (_title, work) => work() };
}

/** Offers that were found before the money for them was set aside elsewhere. */
async function forgetMarket(): Promise<Change> {
  return (later) => {
    later.market = undefined;
  };
}

/** Begins a create, if it can be paid: its machine is one of the fleet. Returns what sends it. */
export function beginCreate(
  acting: Acting,
  fleet: Fleet,
  candidate: Candidate,
  lacking: number,
  emit: (change: Change) => void,
): () => Promise<Change> {
  const { deps, policy, request } = acting;
  const now = deps.clock.now();
  const budget = budgetLeft(request, reportsOf(fleet), now);
  if (!isPayable(budget, candidate)) return forgetMarket;
  const share = shareOf(budget, candidate, lacking);
  const timing = timingOf(request, candidate);
  const limits = deadlineLimits(request.limits, timing);
  const rental = planRental(now, limits, candidate, share, request.image.bytes);
  const n = fleet.creates + 1;
  const asked: Machine = {
    n,
    candidate,
    timing,
    uses: [],
    deadline: rental.deadline * 1000,
    cutBy: rental.cutBy,
    terms: termsOf(candidate, rental),
    askedAt: now,
    act: "asking",
  };
  fleet.creates = n;
  fleet.machines.push(asked);
  tellRental(acting, fleet, asked, rental, budget && share && { budget, share });
  const { offer, price } = candidate;
  const searchedAt = fleet.market?.searchedAt ?? now;
  const onRegistered: RentalOfMachine["onRegistered"] = (runners, hide) => {
    acting.hiders.set(n, hide);
    emit((later) => {
      const machine = later.machines.find((each) => each.n === n);
      if (machine) machine.uses = runners.map(({ id, name }) => ({ runnerId: id, runnerName: name }));
    });
  };
  return async () => {
    const { terms } = asked;
    const outcome = await rent(deps, request, { ...rental, n, offer, price, searchedAt, terms, onRegistered });
    return (later) => noteRentOutcome(later, n, outcome, { ...deps, policy });
  };
}

function tellRental(
  { deps: { log }, request }: Acting,
  fleet: Fleet,
  { n, candidate, askedAt, timing }: Machine,
  rental: ReturnType<typeof planRental>,
  money: Record<"budget" | "share", OfferBudget> | undefined,
): void {
  const { expected, offer, price } = candidate;
  const cost = expected === undefined ? "" : ` ${describeExpectedCost(expected.cost)}.`;
  log.info(`machine ${n}: asked for, from ${describeOffer(offer)} at ${describePrice(price)}.${cost}`);
  const { bytes } = request.image;
  // A host that has the image, or was quicker before, is not told to pull it for longer than that.
  const isPulled = bytes !== undefined && pullMs(bytes, offer) < timing.expectedMs;
  const pull = isPulled ? ` It takes ${describePull(bytes, offer)}.` : "";
  log.info(`machine ${n}: ${describeExpectedBoot(timing.expectedMs, timing)}${pull}`);
  for (const line of describeEstimate(rental.estimate, rental.price)) log.info(`machine ${n}: ${line}`);
  if (rental.cutBy === "max-cost" && money) log.info(`machine ${n}: ${describeCut(money.budget, money.share)}`);
  const warning = creditWarning(request, reportsOf(fleet), rental.estimate.most, askedAt);
  if (warning) log.warning(warning);
}
