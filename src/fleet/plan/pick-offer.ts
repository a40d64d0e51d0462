import type { Candidate } from "../../market/search.ts";
import type { Fleet } from "../state/fleet.ts";
import { isAlive } from "../state/stage.ts";

/** One search serves creates for so long. */
const MARKET_KEEPS_MS = 60_000;
/** An offer that was gone may be back after so long, three times as long after each refusal. */
const TAKEN_MS = 300_000;
const LONGER_BY = 3;

/** The best offer that is neither taken nor failed; machines that are not in use come first. */
export function pickOffer(fleet: Fleet, now: number): Candidate | undefined {
  const { market, excluded, machines } = fleet;
  const taken = takenOffers(fleet, now);
  const left = (market?.candidates ?? []).filter(
    ({ offer }) =>
      !taken.includes(offer.id) &&
      !excluded.offers.includes(offer.id) &&
      !excluded.machines.includes(offer.machineId ?? Number.NaN),
  );
  const alive = machines.filter(isAlive).map(({ candidate }) => candidate.offer);
  // An offer is one machine to rent: the one that we rent is not to be had twice.
  const free = left.filter(({ offer }) => !alive.some(({ id }) => id === offer.id));
  const hosts = new Set(alive.map(({ machineId }) => machineId));
  return free.find(({ offer }) => offer.machineId === undefined || !hosts.has(offer.machineId)) ?? free[0];
}

/** Offers that somebody else had a short time ago. */
export function takenOffers({ taken }: Fleet, now: number): number[] {
  return taken.filter(({ at, times }) => now - at < TAKEN_MS * LONGER_BY ** (times - 1)).map(({ id }) => id);
}

/** Whether another machine is to be had, as far as the last search tells. */
export function hasOther(fleet: Fleet, now: number): boolean {
  return pickOffer(fleet, now) !== undefined;
}

/** The same, without offers that were ever gone: one that always is ends no search. */
export function hasUntried(fleet: Fleet): boolean {
  return hasOther(fleet, Number.NEGATIVE_INFINITY);
}

/** Whether the last search still tells what there is. */
export function isMarketFresh({ market }: Fleet, now: number): boolean {
  return market !== undefined && now - market.searchedAt < MARKET_KEEPS_MS;
}
