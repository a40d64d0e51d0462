import { describe, expect, test } from "vitest";
import { type History, type HostFate, imageMark, NO_HISTORY, withFate } from "../../../src/history/hosts.ts";
import type { Price } from "../../../src/marketplace/marketplace.ts";
import { expectations, type Knowledge } from "../../../src/offers/expectation.ts";
import { type Candidate, ORDERINGS } from "../../../src/offers/ranking.ts";
import { anOffer } from "../support/an-offer.ts";

const NOW = 1_795_000_000_000;
const HOUR = 3_600_000;
const IMAGE = { name: "debian:13", bytes: 3.5e9, isDevel: false };
const PRICE = { total: 0.4, storage: 0.01, inetDown: 0.01 };
const FAST = anOffer({ inet_down: 800 });

function expected(history: History, given: Partial<Knowledge> = {}, offer = FAST) {
  return expectations({ image: IMAGE, jobMs: 300_000, history, isKept: true, now: NOW, ...given })(offer, PRICE);
}

function historyOf(...fates: HostFate[]): History {
  return fates.reduce(withFate, NO_HISTORY);
}

const served = (hours: number): HostFate => ({ kind: "served", machine: 40_211, at: NOW - hours * HOUR });
const failed = (hours: number): HostFate => ({ kind: "failed", machine: 40_211, at: NOW - hours * HOUR });

test("a stranger: the estimate alone, and a fifth of the wait for another", () => {
  const { bootMs, standing, failedLately, cost } = expected(NO_HISTORY);
  expect({ bootMs, standing, failedLately }).toEqual({ bootMs: 180_000, standing: "unproven", failedLately: false });
  expect(cost.waiting).toBeCloseTo((0.5 * 180 + 3 * 60) / 3600, 9);
});

test("without a history no host is unproven", () => {
  expect(expected(NO_HISTORY, { isKept: false }).standing).toBe("none");
});

describe("a machine that served", () => {
  test("is proven for two days, and its failure unlikely", () => {
    expect(expected(historyOf(served(47))).standing).toBe("proven");
    expect(expected(historyOf(served(47))).cost.waiting).toBeCloseTo((0.5 * 180 + 3 * 6) / 3600, 9);
    expect(expected(historyOf(served(49))).standing).toBe("unproven");
  });

  test("after it had failed is, and comes in its turn", () => {
    expect(expected(historyOf(failed(5), served(4)))).toMatchObject({ standing: "proven", failedLately: false });
  });
});

test("a machine that pulled the image before starts in 45 s, and pays for no traffic of it", () => {
  const boot = { at: NOW - HOUR, image: imageMark(IMAGE), estimateMs: 180_000, actualMs: 200_000 };
  const { bootMs, cost } = expected(historyOf({ kind: "booted", machine: 40_211, ...boot }));
  expect(bootMs).toBe(45_000);
  expect(cost.bytes).toBeCloseTo(0.01 * 0.2, 9);
});

test("a tag that was moved since is an image that it does not have", () => {
  const boot = { at: NOW - HOUR, image: imageMark({ ...IMAGE, bytes: 1e9 }), actualMs: 45_000 };
  expect(expected(historyOf({ kind: "booted", machine: 40_211, ...boot }))).toMatchObject({
    bootMs: 180_000,
    hasImage: false,
  });
});

test("order: auto takes what costs least in the end, and one that failed lately last", () => {
  const at = (machine_id: number, total: number, inet_down: number, history = NO_HISTORY) => {
    const offer = anOffer({ id: machine_id, machine_id, inet_down });
    const price = { total, storage: 0 };
    const expect = expectations({ image: IMAGE, jobMs: 300_000, history, isKept: true, now: NOW });
    return { offer, price, expected: expect(offer, price) };
  };
  const slow = at(1, 0.3, 200);
  const fast = at(2, 0.4, 2000);
  const bad = at(40_211, 0.2, 5000, historyOf(failed(1)));
  expect([bad, slow, fast].toSorted(ORDERINGS.auto.compare).map(({ offer }) => offer.id)).toEqual([2, 1, 40_211]);
  // By the hour it is the other way round, but for the one that failed.
  expect([bad, fast, slow].toSorted(ORDERINGS.price.compare).map(({ offer }) => offer.id)).toEqual([1, 2, 40_211]);
});

test.each(["price", "score", "dlperf_per_dphtotal"] as const)(
  "order: %s takes one that failed lately last",
  (order) => {
    const price: Price = { total: 0.3, storage: 0 };
    const good: Candidate = {
      offer: anOffer({ id: 1, machine_id: 1, score: 1, dlperf_per_dphtotal: 1 }),
      price: PRICE,
    };
    const best = anOffer({ id: 2, score: 2, dlperf_per_dphtotal: 2 });
    const bad: Candidate = { offer: best, price, expected: expected(historyOf(failed(1)), {}, best) };
    const ids = (...offers: Candidate[]) => offers.toSorted(ORDERINGS[order].compare).map(({ offer }) => offer.id);
    expect(ids(bad, good)).toEqual([1, 2]);
    expect(ids({ ...bad, expected: undefined }, good)).toEqual([2, 1]);
  },
);

test("without knowledge order: auto is by price", () => {
  const offers = [0.5, 0.3, 0.4].map((total) => ({ offer: anOffer(), price: { total, storage: 0 } }));
  expect(offers.toSorted(ORDERINGS.auto.compare).map(({ price }) => price.total)).toEqual([0.3, 0.4, 0.5]);
});
