import { expect, test } from "vitest";
import { type History, type HostFate, imageMark, NO_HISTORY, withFate } from "../../../src/history/hosts.ts";
import * as expectation from "../../../src/offers/expectation.ts";
import { type Candidate, ORDERINGS } from "../../../src/offers/ranking.ts";
import { anOffer } from "../support/an-offer.ts";

const NOW = 1_795_000_000_000;
const HOUR = 3_600_000;
const IMAGE = { name: "debian:13", bytes: 3.5e9, isDevel: false };
const PRICE = { total: 0.4, storage: 0.01, inetDown: 0.01 };
const FACTS = { bootMs: 180_000, jobMs: 580_000, imageBytes: 3.5e9, failureChance: 0.2 };

function expecting(history: History, given: Partial<expectation.Knowledge> = {}) {
  return expectation.expectations({ image: IMAGE, jobMs: 300_000, history, isKept: true, now: NOW, ...given });
}

function expected(history: History, given: Partial<expectation.Knowledge> = {}, offer = anOffer({ inet_down: 800 })) {
  return expecting(history, given)(offer, PRICE);
}

const historyOf = (...fates: HostFate[]): History => fates.reduce(withFate, NO_HISTORY);
const served = (hours: number): HostFate => ({ kind: "served", machine: 40_211, at: NOW - hours * HOUR });
const failed = (hours: number): HostFate => ({ kind: "failed", machine: 40_211, at: NOW - hours * HOUR });
const booted = (image: typeof IMAGE, estimateMs?: number): HostFate => ({
  ...{ kind: "booted", machine: 40_211, at: NOW - HOUR, image: imageMark(image), actualMs: 200_000, estimateMs },
});
const ids = (offers: Candidate[], order: keyof typeof ORDERINGS) =>
  offers.toSorted(ORDERINGS[order].compare).map(({ offer }) => offer.id);

test("the GPU for the job and 20 s, storage for boot and job, the image's traffic and the runner's, the wait", () => {
  const cost = expectation.expectedCost({ total: 0.37, storage: 0.01, inetDown: 0.01 }, FACTS);
  expect(cost.gpu).toBeCloseTo((0.36 * 600) / 3600, 9);
  expect(cost.storage).toBeCloseTo((0.01 * 760) / 3600, 9);
  expect(cost.bytes).toBeCloseTo(0.01 * 3.7, 9);
  // Half a USD an hour for the boot; three for a fifth of the five minutes that a broken machine costs.
  expect(cost.waiting).toBeCloseTo((0.5 * 180 + 3 * 60) / 3600, 9);
  expect(cost.total).toBeCloseTo(cost.gpu + cost.storage + cost.bytes + cost.waiting, 9);
  expect(expectation.expectedCost({ total: 0.3, storage: 0 }, FACTS).bytes).toBe(0);
});

const COST = { gpu: 0.031, storage: 0.0002, bytes: 0.004, waiting: 0.006, total: 0.0412 };

test("for a job that has waited in vain an hour of boot counts 3 USD in place of 0.50; the log has what is billed", () => {
  expect(expectation.urgentCost(COST, 360_000)).toBeCloseTo(0.0412 + 0.25, 10);
  expect(expectation.describeExpectedCost(COST)).toBe("0.035 USD expected");
});

test.each([[[600_000, 600_000, 600_000], 480_000]])(
  "a guess of the user's counts as one more job than those that are over: %j",
  (finished, mean) => {
    expect(expectation.expectedJobMs(finished, 120_000)).toBe(mean);
  },
);

test.each([
  ["the same, a little earlier", historyOf(served(49)), { standing: "unproven" }, 60],
  ["one that served after a failure", historyOf(failed(5), served(4)), { standing: "proven", failedLately: false }, 6],
  ["one that has the image, and loads none", historyOf(booted(IMAGE, 180_000)), { bootMs: 45_000, hasImage: true }, 60],
  ["a tag that was moved since", historyOf(booted({ ...IMAGE, bytes: 1e9 })), { bootMs: 180_000, hasImage: false }, 60],
])("%s", (_what, history, known, secondsOfFailure) => {
  const found = expected(history);
  expect(found).toMatchObject(known);
  const { bootMs, cost, hasImage } = found;
  expect(cost.waiting).toBeCloseTo((0.5 * (bootMs / 1000) + 3 * secondsOfFailure) / 3600, 9);
  expect(cost.bytes).toBeCloseTo(0.01 * (hasImage ? 0.2 : 3.7), 9);
});

test("without a history no host is unproven", () => {
  expect(expected(NO_HISTORY, { isKept: false }).standing).toBe("none");
});

test("order: auto takes what costs least in the end, and one that failed lately last", () => {
  const at = (machine_id: number, total: number, inet_down: number) => {
    const offer = anOffer({ id: machine_id, machine_id, inet_down });
    const price = { total, storage: 0 };
    return { offer, price, expected: expecting(historyOf(failed(1)))(offer, price) };
  };
  const [slow, fast, bad] = [at(1, 0.3, 200), at(2, 0.4, 2000), at(40_211, 0.2, 5000)];
  expect(ids([bad, slow, fast], "auto")).toEqual([2, 1, 40_211]);
  // By the hour it is the other way round, but for the one that failed.
  expect(ids([bad, fast, slow], "price")).toEqual([1, 2, 40_211]);
});

test.each(["price", "score", "dlperf_per_dphtotal"] as const)("order: %s takes a late failure last", (order) => {
  const good = { offer: anOffer({ id: 1, machine_id: 1, score: 1, dlperf_per_dphtotal: 1 }), price: PRICE };
  const best = anOffer({ id: 2, score: 2, dlperf_per_dphtotal: 2 });
  const bad = { offer: best, price: { total: 0.3, storage: 0 }, expected: expected(historyOf(failed(1)), {}, best) };
  expect(ids([bad, good], order)).toEqual([1, 2]);
  expect(ids([{ ...bad, expected: undefined }, good] as Candidate[], order)).toEqual([2, 1]);
});

test("without knowledge order: auto is by price", () => {
  const offers = [0.5, 0.3, 0.4].map((total, id) => ({ offer: anOffer({ id }), price: { total, storage: 0 } }));
  expect(ids(offers, "auto")).toEqual([1, 2, 0]);
});
