import { beforeEach, expect, test } from "vitest";
import type { RentRequest } from "../../../src/fleet/rent-one.ts";
import { Renter } from "../../../src/fleet/renter.ts";
import { AttemptsExhaustedError, OffersExhaustedError } from "../../../src/machine/provisioning-errors.ts";
import { NoOfferError } from "../../../src/market/market-errors.ts";
import { anOffer } from "../support/an-offer.ts";
import { createAnswer } from "../support/fake-service.ts";
import { RentingWorld } from "../support/renting-world.ts";

const GONE = createAnswer(404, { success: false, error: "invalid_args", msg: "no_such_ask" });
const MINUTE = 60_000;

let world: RentingWorld;

beforeEach(() => {
  world = new RentingWorld();
});

const renting = (request: Partial<RentRequest>) =>
  world.clock.run(new Renter(world.deps, world.request(request)).rent());
const offersAsked = () => world.service.of("createInstance").map(({ id }) => id);

test("an empty market is searched again until it has an offer", async () => {
  const offers = world.service.offers.splice(0);
  world.clock.at(2 * MINUTE, () => world.service.offers.push(...offers));
  world.becomesReady(701, 300, 21);
  expect(await renting({ searchMs: 10 * MINUTE })).toMatchObject({ instanceId: 701, candidate: { offer: { id: 1 } } });
});

test("it is given up after search-timeout, and with ready-timeout", async () => {
  world.service.offers = [];
  await expect(renting({ searchMs: 10 * MINUTE })).rejects.toBeInstanceOf(NoOfferError);
  expect(world.clock.elapsed).toBe(10 * MINUTE);
  world = new RentingWorld();
  world.service.offers = [];
  await expect(renting({ searchMs: 60 * MINUTE })).rejects.toBeInstanceOf(NoOfferError);
  expect(world.clock.elapsed).toBe(25 * MINUTE);
});

test("all offers taken by others: searches again for one that was not", async () => {
  world.service.next("createInstance", GONE, GONE, GONE, GONE, GONE);
  world.clock.at(MINUTE, () => world.service.offers.push(anOffer({ id: 6, machine_id: 600 })));
  world.becomesReady(701, 300, 26);
  expect(await renting({ searchMs: 10 * MINUTE })).toMatchObject({ candidate: { offer: { id: 6 } } });
  expect(offersAsked()).toEqual([1, 2, 3, 4, 5, 6]);
});

test("all offers taken by others, and no other comes: says so", async () => {
  world.service.always("createInstance", GONE);
  const error = await renting({ searchMs: MINUTE }).catch((fault: unknown) => fault);
  expect(error).toBeInstanceOf(OffersExhaustedError);
  expect(error).toMatchObject({ message: expect.stringMatching(/None of the 5 .* Nothing was rented\./) });
  expect(world.service.of("createInstance")).toHaveLength(5);
});

test("a machine failed and no other comes: its story, not that of the market", async () => {
  world.service.offers = world.service.offers.slice(0, 1);
  world.clock.at(20_000, () => world.shows(701, { actual_status: "exited" }));
  await expect(renting({ searchMs: MINUTE })).rejects.toBeInstanceOf(AttemptsExhaustedError);
});
