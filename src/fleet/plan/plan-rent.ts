import type { Candidate } from "../../market/search.ts";
import type { Fleet } from "../state/fleet.ts";
import type { FleetOptions } from "../state/policy.ts";
import { isCounted } from "../state/stage.ts";
import { isMarketFresh, pickOffer } from "./pick-offer.ts";
import { asksMarket, isJudged } from "./plan-machines.ts";

/** A step to one more machine. */
export type RentAct = { do: "search" } | { do: "create"; candidate: Candidate };

/** The next step, or why a create has to wait. */
export interface Rent {
  act?: RentAct;
  waitsFor?: "repository" | "pause" | undefined;
}

/** A list that is older says nothing of how many machines are alive. */
const LIST_KEEPS_MS = 15_000;

/** One create at a time, of the best offer that is known; a search where none is. */
export function renting(fleet: Fleet, policy: FleetOptions, now: number): Rent {
  const { instancesAt, machines, pause, repositoryAlive } = fleet;
  if (machines.some(({ act }) => act === "asking")) return {};
  if (pause !== undefined && now < pause.until) return { waitsFor: "pause" };
  // While no list can be read nothing is created.
  const isKnown = instancesAt !== undefined && now - instancesAt <= LIST_KEEPS_MS;
  if (!isKnown || machines.filter(isCounted).length >= policy.machines) return {};
  if (repositoryAlive >= policy.machinesPerRepository) return { waitsFor: "repository" };
  const candidate = isMarketFresh(fleet, now) ? pickOffer(fleet, now) : undefined;
  return candidate === undefined ? nextSearch(fleet, now) : { act: { do: "create", candidate } };
}

/** For a machine that is kept only while no other offer is to be had. */
export function searching(fleet: Fleet, policy: FleetOptions, now: number): RentAct | undefined {
  const isAsked = fleet.machines.some((machine) => isJudged(machine) && asksMarket({ machine, fleet, policy, now }));
  return isAsked ? nextSearch(fleet, now).act : undefined;
}

function nextSearch({ market }: Fleet, now: number): Rent {
  return market === undefined || now >= market.searchAgainAt ? { act: { do: "search" } } : {};
}
