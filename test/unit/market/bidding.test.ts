import { beforeEach, describe, expect, test } from "vitest";
import type { RentRequest } from "../../../src/fleet/rent-one.ts";
import { type Ready, Renter } from "../../../src/fleet/renter.ts";
import { AttemptsExhaustedError } from "../../../src/machine/provisioning-errors.ts";
import { NoOfferError } from "../../../src/market/market-errors.ts";
import { anOffer, someWishes } from "../support/an-offer.ts";
import { createAnswer } from "../support/fake-service.ts";
import { RentingWorld } from "../support/renting-world.ts";

const GONE = createAnswer(404, { success: false, error: "invalid_args", msg: "no_such_ask" });
const BID = someWishes({ bid: { price: undefined } });

let world: RentingWorld;

beforeEach(() => {
  world = new RentingWorld();
  world.service.offers = [1, 2, 3].map((id) =>
    anOffer({ id, machine_id: id * 100, dph_total: id / 10, min_bid: id / 10 }),
  );
});

function renterFor(given: Partial<RentRequest> = {}): Renter {
  return new Renter(world.deps, world.request({ offer: BID, ...given }));
}

async function rentReady(renter: Renter): Promise<Ready> {
  const machine = await world.clock.run(renter.rent());
  if (machine === undefined) throw new Error("No machine was rented.");
  return machine;
}

const bids = () => world.service.creates.map(({ price }) => price);
const types = () => world.service.searches.map(({ type }) => type);

/** The n-th instance is stopped by the service some seconds after the test began. */
function outbidAt(seconds: number, instanceId: number): void {
  world.clock.at(seconds * 1000, () =>
    world.shows(instanceId, {
      actual_status: "exited",
      intended_status: "stopped",
      cur_state: "stopped",
      is_bid: true,
    }),
  );
}

test("sends the bid, and on demand none", async () => {
  world.becomesReady(701, 60, 21);
  await rentReady(renterFor());
  expect(bids()).toEqual([0.11]);
  expect(world.service.creates[0]?.cancel_unavail).toBe(true);
});

describe("outbid while it boots", () => {
  test("is told, destroyed, and the next one is rented by a bid again", async () => {
    outbidAt(20, 701);
    world.becomesReady(702, 120, 22);
    expect(await rentReady(renterFor())).toMatchObject({ instanceId: 702 });
    expect(bids()).toEqual([0.11, 0.22]);
    expect(world.service.instances.has(701)).toBe(false);
    expect(world.log.lines.join("\n")).toContain("outbid: the service stopped it");
  });

  test("with bid-fallback, the next one is rented on demand", async () => {
    outbidAt(20, 701);
    world.becomesReady(702, 120, 22);
    await rentReady(renterFor({ bidFallback: true }));
    expect(bids()).toEqual([0.11, undefined]);
    expect(types()).toEqual(["bid", "on-demand"]);
    expect(world.log.lines.join("\n")).toContain("The machine was outbid. From now on machines are rented on demand");
  });

  test("costs an attempt", async () => {
    outbidAt(20, 701);
    const renting = world.clock.run(renterFor({ attempts: 1 }).rent());
    await expect(renting).rejects.toThrow(AttemptsExhaustedError);
    await expect(renting).rejects.toThrow(/Attempt 1, offer 1 .*: outbid/);
  });
});

describe("outbid while it is held", () => {
  test.each([
    [true, undefined],
    [false, 0.22],
  ])("with bid-fallback: %j the next one bids %j", async (bidFallback, bid) => {
    world.becomesReady(701, 60, 21);
    const renter = renterFor({ bidFallback });
    const machine = await rentReady(renter);
    machine.isOutbid = true;
    await world.clock.run(renter.giveUpReady(machine, "it was outbid, and the service stopped it"));
    world.becomesReady(702, world.clock.elapsed / 1000 + 60, 22);
    await rentReady(renter);
    expect(bids()).toEqual([0.11, bid]);
  });

  test("a machine that is lost otherwise is replaced by another bid", async () => {
    world.becomesReady(701, 60, 21);
    const renter = renterFor({ bidFallback: true });
    const machine = await rentReady(renter);
    await world.clock.run(renter.giveUpReady(machine, "the machine was lost"));
    world.becomesReady(702, world.clock.elapsed / 1000 + 60, 22);
    await rentReady(renter);
    expect(bids()).toEqual([0.11, 0.22]);
  });
});

describe("where no bid brings a machine", () => {
  test("no offer fits: fails, or with bid-fallback searches on demand", async () => {
    world.service.offers = [];
    await expect(world.clock.run(renterFor().rent())).rejects.toThrow(NoOfferError);
    world.service.next("searchOffers", [], []);
    world.service.offers = [anOffer({ id: 9, dph_total: 0.5 })];
    world.becomesReady(701, world.clock.elapsed / 1000 + 60, 21);
    await rentReady(renterFor({ bidFallback: true }));
    expect(bids()).toEqual([undefined]);
    expect(world.log.lines.join("\n")).toContain("No interruptible machine is to be had.");
  });

  test("all were taken: with bid-fallback searches on demand, once", async () => {
    world.service.next("createInstance", GONE, GONE, GONE);
    world.service.next("searchOffers", world.service.offers, [anOffer({ id: 9, machine_id: 900, dph_total: 0.5 })]);
    world.becomesReady(701, 60, 24);
    await rentReady(renterFor({ bidFallback: true }));
    expect(bids()).toEqual([0.11, 0.22, 0.33, undefined]);
    expect(types()).toEqual(["bid", "on-demand"]);
  });

  test("nor on demand: it fails as on demand", async () => {
    world.service.offers = [];
    await expect(world.clock.run(renterFor({ bidFallback: true }).rent())).rejects.toThrow(NoOfferError);
    expect(new Set(types())).toEqual(new Set(["bid", "on-demand"]));
  });
});
