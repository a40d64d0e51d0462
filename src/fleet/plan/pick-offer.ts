import type { Candidate } from "../../market/search.ts";
import type { Fleet } from "../state/fleet.ts";
import { isAlive } from "../state/stage.ts";

/** The best offer that is neither taken nor failed; machines that are not in use come first. */
export function pickOffer({ market, taken, excluded, machines }: Fleet): Candidate | undefined {
  const left = (market?.candidates ?? []).filter(
    ({ offer }) =>
      !taken.includes(offer.id) &&
      !excluded.offers.includes(offer.id) &&
      !excluded.machines.includes(offer.machine_id ?? Number.NaN),
  );
  const alive = machines.filter(isAlive).map(({ candidate }) => candidate.offer);
  // An offer is one machine to rent: the one that we rent is not to be had twice.
  const free = left.filter(({ offer }) => !alive.some(({ id }) => id === offer.id));
  const hosts = new Set(alive.map(({ machine_id }) => machine_id));
  return free.find(({ offer }) => offer.machine_id === undefined || !hosts.has(offer.machine_id)) ?? free[0];
}

/** Whether another machine is to be had, as far as the last search tells. */
export function hasOther(fleet: Fleet): boolean {
  return pickOffer(fleet) !== undefined;
}
