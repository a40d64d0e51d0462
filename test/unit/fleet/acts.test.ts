import { expect, test } from "vitest";
import { type Acting, beginCreate, search } from "../../../src/fleet/acts.ts";
import { NoAnswerError } from "../../../src/service/service-errors.ts";
import { aPolicy } from "../support/a-fleet.ts";
import { anOffer } from "../support/an-offer.ts";
import { RentingWorld } from "../support/renting-world.ts";

test("the secrets of a machine are hidden from before it is created: one that turns up late may print them, too", async () => {
  const world = new RentingWorld();
  const acting: Acting = { deps: world.deps, request: world.request(), policy: aPolicy(), hiders: new Map() };
  world.service.next("createInstance", new NoAnswerError("create instance", new Error("socket hang up")));
  const candidate = { offer: anOffer(), price: { total: 0.4, storage: 0 } };
  await world.clock.run(beginCreate(acting, world.fleet, candidate, 1, () => {})());
  expect(acting.hiders.get(1)?.("exec ./run.sh --jitconfig configuration-of-21")).toBe(
    "exec ./run.sh --jitconfig [GHR_JIT]",
  );
});

test("a service that does not answer says nothing of bids: they are made on", async () => {
  const world = new RentingWorld();
  const { offer } = world.request();
  const request = world.request({ offer: { ...offer, bid: { price: 0.2 } } });
  const policy = aPolicy({ bidFallback: true });
  const acting: Acting = { deps: world.deps, request, policy, hiders: new Map() };
  world.service.always("searchOffers", new NoAnswerError("search offers", new Error("socket hang up")));
  (await world.clock.run(search(acting, world.fleet)))(world.fleet);
  expect(world.fleet.isOnDemand).toBe(false);
  world.service.always("searchOffers", () => []);
  (await world.clock.run(search(acting, world.fleet)))(world.fleet);
  expect(world.fleet.isOnDemand).toBe(true);
});
