import { expect, test } from "vitest";
import type { Acting } from "../../../src/fleet/acts.ts";
import { giveUp } from "../../../src/fleet/give-back.ts";
import { isBusy } from "../../../src/fleet/stage.ts";
import type { Fleet } from "../../../src/fleet/state.ts";
import { aFleet, aPolicy, nextUse, ready } from "../support/a-fleet.ts";
import { RentingWorld } from "../support/renting-world.ts";

const THIRD = 3;

/** Of three uses, with the first runner in this state. */
async function givenUp(world: RentingWorld): Promise<Fleet> {
  const machine = ready(1);
  machine.uses = [...machine.uses, nextUse(1), nextUse(1, THIRD)];
  machine.report = { ...machine.terms, instanceId: 701, at: { asked: 0 }, last: "ready", isUnneeded: true };
  machine.ending = { kind: "unneeded", why: "no job needs it", isUnasked: false, since: 0 };
  const fleet = aFleet([machine]);
  const acting: Acting = { deps: world.deps, request: world.request(), policy: aPolicy(), hiders: new Map() };
  (await world.clock.run(giveUp(acting, machine)))(fleet);
  return fleet;
}

test("the runners that wait for their turn go first, then the one that is online, then the machine", async () => {
  const world = new RentingWorld();
  const { machines } = await givenUp(world);
  expect(world.runners.removals).toEqual([nextUse(1).runnerId, nextUse(1, THIRD).runnerId, 21]);
  expect(machines[0]?.goneAt).toBeDefined();
});

test("a job came to the one that is online (422): the machine is kept, with that use alone", async () => {
  const world = new RentingWorld();
  world.runners.states.set(21, "busy");
  const [machine] = (await givenUp(world)).machines;
  expect([machine?.ending, machine?.goneAt]).toEqual([undefined, undefined]);
  expect(machine && isBusy(machine)).toBe(true);
  expect(machine?.uses.map(({ spentAt }) => spentAt === undefined)).toEqual([true, false, false]);
  expect(machine?.report?.isUnneeded).toBeUndefined();
});

test("GitHub gives no answer: nothing is destroyed, and it is asked again 15 s later", async () => {
  const world = new RentingWorld();
  world.runners.answers = false;
  const [machine] = (await givenUp(world)).machines;
  expect(machine?.askAgainAt).toBe(world.clock.now() + 15_000);
  expect(world.service.calls).toEqual([]);
});
