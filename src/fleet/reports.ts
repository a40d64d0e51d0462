import { asksMarket, isJudged } from "./plan/plan-machines.ts";
import type { Fleet } from "./state/fleet.ts";
import type { FleetOptions } from "./state/policy.ts";

/** The reports of the machines that were rented. */
export function reportsOf({ machines }: Readonly<Fleet>) {
  return machines.flatMap(({ report }) => (report === undefined ? [] : [report]));
}

/** The same, as if those were gone that go once another one is to be had: they pay for it. */
export function reportsOnceGiven(fleet: Readonly<Fleet>, policy: FleetOptions, now: number) {
  const going = fleet.machines.filter((machine) => isJudged(machine) && asksMarket({ machine, fleet, policy, now }));
  const gone = new Set(going.map(({ report }) => report));
  return reportsOf(fleet).map((report) => (gone.has(report) ? { ...report, isGone: true } : report));
}
