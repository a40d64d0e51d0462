import { describe, expect, test } from "vitest";
import { type Acting, beginCreate, search } from "../../../src/fleet/acts.ts";
import type { FleetRequest } from "../../../src/fleet/options.ts";
import { rentOnDemand } from "../../../src/fleet/state/end-machine.ts";
import { NoAnswerError } from "../../../src/marketplace/errors.ts";
import { aPolicy, booting } from "../support/a-fleet.ts";
import { anOffer, aRow } from "../support/an-offer.ts";
import { RentingWorld } from "../support/renting-world.ts";

const price = { total: 0.4, storage: 0.02 };

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

describe("bid-fallback, beside a machine that was rented by a bid", () => {
  const bidding = (money: FleetRequest["money"] = {}) => {
    const world = new RentingWorld();
    const { offer } = world.request();
    const request = world.request({ offer: { ...offer, bid: { price: undefined } }, money });
    const acting: Acting = { deps: world.deps, request, policy: aPolicy({ bidFallback: true }), hiders: new Map() };
    return { world, look: async () => (await world.clock.run(search(acting, world.fleet)))(world.fleet) };
  };
  test("what max-cost has set aside for it keeps the next bid away: it is no bid that was of no use", async () => {
    const { world, look } = bidding({ maxCost: 0.5 });
    const machine = booting(1);
    const asked = { asked: world.clock.now(), created: world.clock.now() };
    world.fleet.machines = [
      { ...machine, report: { instanceId: 701, ...machine.terms, price, at: asked, last: "created" } },
    ];
    await look();
    expect(world.fleet).toMatchObject({ isOnDemand: false, market: { candidates: [] } });
    world.fleet.machines = [];
    await look();
    expect(world.fleet.market?.candidates[0]?.price.bid).toBeGreaterThan(0);
  });

  test("the one offer is that machine's own: no bid brings another one", async () => {
    const { world, look } = bidding();
    world.service.offers = [aRow({ id: 1, machine_id: 100 })];
    world.fleet.machines = [booting(1)];
    await look();
    expect(world.fleet.isOnDemand).toBe(true);
    expect(world.fleet.market).toBeUndefined();
  });
});

test("a machine past its limits keeps no other one away by what max-cost has set aside for it", async () => {
  const world = new RentingWorld();
  const acting: Acting = {
    deps: world.deps,
    request: world.request({ money: { maxCost: 0.5 } }),
    policy: aPolicy(),
    hiders: new Map(),
  };
  const now = world.clock.now();
  const found = async (createdAgo: number) => {
    const machine = booting(1, {
      createdAt: now - createdAgo,
      askedAt: now,
      timing: { ...booting(1).timing, mayWait: true },
    });
    const at = { asked: now - createdAgo, created: now - createdAgo };
    world.fleet.instancesAt = now;
    world.fleet.machines = [{ ...machine, report: { instanceId: 701, ...machine.terms, price, at, last: "created" } }];
    (await world.clock.run(search(acting, world.fleet)))(world.fleet);
    const { candidates = [] } = world.fleet.market ?? {};
    world.fleet.market = undefined;
    return candidates.length;
  };
  expect(await found(0)).toBe(0);
  expect(await found(10 * 60_000)).toBeGreaterThan(0);
});

test("offers for bids that come when bids were given up meanwhile are not rented", async () => {
  const world = new RentingWorld();
  const { offer } = world.request();
  const request = world.request({ offer: { ...offer, bid: { price: undefined } } });
  const acting: Acting = { deps: world.deps, request, policy: aPolicy({ bidFallback: true }), hiders: new Map() };
  const change = await world.clock.run(search(acting, world.fleet));
  rentOnDemand(world.fleet);
  change(world.fleet);
  expect(world.fleet.market).toBeUndefined();
  (await world.clock.run(search(acting, world.fleet)))(world.fleet);
  expect(world.fleet.market?.candidates.map(({ price }) => price.bid)).toEqual(Array(5).fill(undefined));
});

test.each([
  ["one that pulls it", undefined, "It takes about 3 min to pull 3.2 GB at 400 Mbit/s."],
  ["one that has it, and runs before that", 45_000, ""],
])("the pull of the image is told of %s", (_which, bootMs, pull) => {
  const world = new RentingWorld();
  const { image } = world.request();
  const request = world.request({ image: { ...image, bytes: 3.2e9 } });
  const acting: Acting = { deps: world.deps, request, policy: aPolicy(), hiders: new Map() };
  const cost = { gpu: 0, storage: 0, bytes: 0, waiting: 0, total: 0 };
  const expected =
    bootMs === undefined
      ? undefined
      : { bootMs, standing: "proven" as const, failedLately: false, hasImage: true, cost };
  const candidate = { offer: anOffer({ inet_down: 400 }), price: { total: 0.4, storage: 0 }, expected };
  beginCreate(acting, world.fleet, candidate, 1, () => {});
  const [line = ""] = world.log.lines.filter((each) => each.includes("Expected to run in"));
  expect(/(It takes .*)?$/.exec(line)?.[0]).toBe(pull);
});

test("what else could be asked for is told to whoever has no machine, not beside one that was to be had", async () => {
  const world = new RentingWorld();
  const acting: Acting = { deps: world.deps, request: world.request(), policy: aPolicy(), hiders: new Map() };
  world.service.always("searchOffers", () => []);
  await world.clock.run(search(acting, world.fleet));
  expect(world.log.lines.at(-1)).toMatch(/at all\. Widen .* Searching again in 15s/);
  const candidate = { offer: anOffer(), price: { total: 0.4, storage: 0 } };
  beginCreate(acting, world.fleet, candidate, 1, () => {});
  await world.clock.run(search(acting, world.fleet));
  expect(world.log.lines.at(-1)).toMatch(/at all\. Searching again in 15s/);
});
