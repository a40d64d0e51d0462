import { expect, test } from "vitest";
import { NO_HISTORY } from "../../../src/history/hosts.ts";
import {
  describeExpectedCost,
  expectations,
  expectedCost,
  expectedJobMs,
  knowledgeOf,
  urgentCost,
} from "../../../src/offers/expectation.ts";
import { anOffer } from "../support/an-offer.ts";

const FACTS = { bootMs: 180_000, jobMs: 580_000, imageBytes: 3.5e9, failureChance: 0.2 };

test("each part: the GPU for the job and 20 s, storage for boot and job, the image's traffic and the runner's, the wait", () => {
  const cost = expectedCost({ total: 0.37, storage: 0.01, inetDown: 0.01 }, FACTS);
  expect(cost.gpu).toBeCloseTo((0.36 * 600) / 3600, 9);
  expect(cost.storage).toBeCloseTo((0.01 * 760) / 3600, 9);
  expect(cost.bytes).toBeCloseTo(0.01 * 3.7, 9);
  // Half a USD an hour for the boot; three for a fifth of the five minutes that a broken machine costs.
  expect(cost.waiting).toBeCloseTo((0.5 * 180 + 3 * 60) / 3600, 9);
  expect(cost.total).toBeCloseTo(cost.gpu + cost.storage + cost.bytes + cost.waiting, 9);
});

test("an offer without a price for traffic has no cost of it", () => {
  expect(expectedCost({ total: 0.3, storage: 0 }, FACTS).bytes).toBe(0);
});

test("in words, as the log has them: what is billed, without the wait", () => {
  const cost = { gpu: 0.031, storage: 0.0002, bytes: 0.004, waiting: 0.006, total: 0.0412 };
  expect(describeExpectedCost(cost)).toBe("0.035 USD expected");
});

test("a guess of the user's stands in place of ours, and counts as one more job than those that are over", () => {
  expect(expectedJobMs([], 120_000)).toBe(120_000);
  expect(expectedJobMs([600_000], 120_000)).toBe(360_000);
  expect(expectedJobMs([600_000, 600_000, 600_000], 120_000)).toBe(480_000);
});

test("the dearer GPU of a host that boots sooner is worth it for a short job, not for a long one", () => {
  const image = { name: "debian:13", bytes: 5e9, isDevel: false, decidesBoot: true };
  const [near, far] = [anOffer({ inet_down: 1000 }), anOffer({ inet_down: 200 })];
  const isNearBest = (jobMinutes: number | undefined) => {
    const jobMs = jobMinutes === undefined ? undefined : jobMinutes * 60_000;
    const expected = expectations(knowledgeOf({ image, jobMs }, [], { known: NO_HISTORY, isKept: false }, 0));
    const costs = [expected(near, { total: 0.5, storage: 0 }), expected(far, { total: 0.3, storage: 0 })];
    return (costs[0]?.cost.total ?? 0) < (costs[1]?.cost.total ?? 0);
  };
  expect([5, 60].map(isNearBest)).toEqual([true, false]);
  expect(isNearBest(undefined)).toBe(isNearBest(500 / 60));
});

test("for a job that has waited in vain an hour of boot counts 3 USD in place of 0.50", () => {
  const cost = { gpu: 0.04, storage: 0.004, bytes: 0.02, waiting: 0.03, total: 0.094 };
  expect(urgentCost(cost, 360_000)).toBeCloseTo(0.094 + 0.25, 10);
});

test("after a failure the quicker host comes first, before it the cheaper one", () => {
  const [quick, cheap] = [
    { price: { total: 0.4, storage: 0 }, bootMs: 120_000 },
    { price: { total: 0.3, storage: 0 }, bootMs: 180_000 },
  ].map(({ bootMs, price }) => {
    const cost = expectedCost(price, { ...FACTS, bootMs });
    return { first: cost.total, next: urgentCost(cost, bootMs) };
  });
  expect((quick?.first ?? 0) > (cheap?.first ?? 0)).toBe(true);
  expect((quick?.next ?? 0) < (cheap?.next ?? 0)).toBe(true);
});
