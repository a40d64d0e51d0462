import { beforeEach, describe, expect, test } from "vitest";
import { destroyInstance } from "../../../src/create/destroy.ts";
import { rentError } from "../../../src/create/errors.ts";
import { judgeInstance } from "../../../src/create/instance.ts";
import { showLastLines } from "../../../src/create/last-lines.ts";
import { type RentOutcome, rent } from "../../../src/create/rent.ts";
import { NoOfferError } from "../../../src/market/errors.ts";
import { type Candidate, searchForOffers } from "../../../src/market/search.ts";
import { volumeMachine } from "../../../src/market/volume-place.ts";
import type { Refusal } from "../../../src/marketplace/marketplace.ts";
import { someTerms } from "../support/a-fleet.ts";
import { someWishes } from "../support/an-offer.ts";
import { FakeRunners } from "../support/fake-runners.ts";
import { HandWoundClock } from "../support/hand-wound-clock.ts";
import { RecordedLog } from "../support/recorded-log.ts";
import { aRefusal } from "../support/service-faults.ts";
import { aMarketOffer, StandInMarket } from "../support/stand-in-market.ts";

// The rooms above the seam, on a marketplace that is not the rental service.

const DOWN: Refusal = { code: "fault", operation: "list", status: 502, ownWord: false, sentence: "Bad Gateway" };

let market: StandInMarket;
let clock: HandWoundClock;
let log: RecordedLog;
let runners: FakeRunners;
const cancel = new AbortController();

beforeEach(() => {
  market = new StandInMarket();
  clock = new HandWoundClock();
  log = new RecordedLog();
  runners = new FakeRunners();
});

function searching(wishes = someWishes()): Promise<Candidate[]> {
  return searchForOffers({ service: market, log, signal: cancel.signal }, wishes, { machines: [], offers: [] });
}

function renting({ offer, price }: Candidate, n = 1): Promise<RentOutcome> {
  const ledger = { runners() {}, pending() {}, created() {}, report() {} };
  const request = {
    prefix: "ghr1.1.2-1.abcdef",
    runnerNamePrefix: "gpu-2-1-abcdef",
    instance: { image: "debian:13", runtype: "ssh_proxy", diskGb: 32 },
    limits: { bootMs: 1, onlineMs: 1, readyMs: 1, lifetimeMs: 1, idleMs: 1 },
    jobsPerMachine: 1,
    onstart: "",
    env: () => ({}),
  } as const;
  const times = { searchedAt: 0, deadline: 3600, uptimeMs: 3_600_000, expiry: 1_798_761_600 };
  const rental = { n, offer, price, terms: someTerms({ offer, price }), ...times, onRegistered: () => {} };
  const deps = { service: market, clock, signal: cancel.signal, runners, ledger, log };
  return clock.run(rent(deps, request, rental));
}

function destroying(id: number): Promise<"destroyed" | "was-gone"> {
  const until = clock.now() + 120_000;
  return clock.run(destroyInstance({ service: market, clock, log, until }, { id, createdAt: clock.now() }));
}

async function theFirst(): Promise<Candidate> {
  const [first] = await searching();
  if (first === undefined) throw new Error("No offer.");
  return first;
}

test("search, create, list and destroy: a machine is rented and given back", async () => {
  market.offers = [aMarketOffer({ id: 2, machineId: 200, price: { total: 0.5, storage: 0 } }), aMarketOffer()];
  const found = await searching();
  expect(found.map(({ offer }) => offer.id)).toEqual([1, 2]);
  const outcome = await renting(await theFirst());
  expect(outcome).toMatchObject({ kind: "created", instanceId: 701, report: { price: { total: 0.4 } } });
  market.shows(701, { state: "running" });
  const [listed] = await market.list();
  expect(listed && judgeInstance(listed)).toMatchObject({ kind: "running" });
  expect((await searching()).map(({ offer }) => offer.id)).toEqual([2]);
  expect(await destroying(701)).toBe("destroyed");
  expect(market.instances.size).toBe(0);
});

test("its offers are checked again, and what keeps them away is told", async () => {
  const error = await searching(someWishes({ maxPrice: 0.3 })).catch((thrown: Error) => thrown);
  expect(error).toBeInstanceOf(NoOfferError);
  expect((error as Error).message).toContain("under 0.30 USD per hour: the cheapest that fits otherwise is 0.40 USD");
});

test("a bid is made of what it tells", async () => {
  const [found] = await searching(someWishes({ bid: { price: undefined } }));
  if (found === undefined) throw new Error("No offer.");
  expect(found.price).toMatchObject({ bid: expect.closeTo(0.22), total: expect.closeTo(0.23) });
  await renting(found);
  expect(market.orders.map(({ bid }) => bid)).toEqual([found.price.bid]);
});

describe("a create", () => {
  test("that it refuses stops, with its own sentence", async () => {
    const refusal = aRefusal(402, "pay first", "no-credit");
    market.nextCreates.push(() => ({ kind: "refused", refusal }));
    const outcome = await renting(await theFirst());
    if (outcome.kind !== "refused") throw new Error(`It was ${outcome.kind}.`);
    expect(outcome).toMatchObject({ by: "account", refusal: { ownWord: true } });
    expect(rentError(outcome, "Nothing was rented.").message).toBe(
      "The service rents nothing to this account: pay first. Nothing was rented.",
    );
  });

  test("whose answer is lost is looked for by its label, and taken", async () => {
    market.nextCreates.push((order) => {
      clock.at(3000, () => market.make(order));
      return { kind: "uncertain", refusal: DOWN };
    });
    market.fail("list", DOWN);
    expect(await renting(await theFirst())).toMatchObject({ kind: "created", instanceId: 701 });
    expect(market.orders).toHaveLength(1);
  });
});

test("a refused look is no proof that one is gone", async () => {
  const outcome = await renting(await theFirst());
  market.fail("get", DOWN, aRefusal(403, "not yours", "permission"));
  expect(outcome).toMatchObject({ instanceId: 701 });
  expect(await destroying(701)).toBe("destroyed");
  expect(log.lines.join("\n")).toContain("not destroyed yet");
});

test("that it has no logs and tells no volume's place stops nothing", async () => {
  market.fail("logs", aRefusal(404, "no logs", "not-found"));
  await showLastLines({ log, service: market, signal: cancel.signal }, { instanceId: 7, hideSecrets: (text) => text });
  expect(log.lines.join("\n")).toContain("the service keeps none");
  const volume = { kind: "existing", id: 1, mountPath: "/data" } as const;
  expect(await volumeMachine({ service: market, log, signal: cancel.signal }, volume)).toBeUndefined();
  expect(log.warnings.join("\n")).toContain("does not tell where the volume is");
});
