import { expect, test } from "vitest";
import { describeExpectedCost, expectedCost, expectedJobMs, spareCost } from "../../../src/market/expectation.ts";

const FACTS = { bootMs: 180_000, jobMs: 580_000, imageBytes: 3.5e9, failureChance: 0.2 };

test("each part: the GPU for the job and 20 s, storage for boot and job, the image's bytes and the runner's, the wait", () => {
  const cost = expectedCost({ total: 0.37, storage: 0.01, inetDown: 0.01 }, FACTS);
  expect(cost.gpu).toBeCloseTo((0.36 * 600) / 3600, 9);
  expect(cost.storage).toBeCloseTo((0.01 * 760) / 3600, 9);
  expect(cost.bytes).toBeCloseTo(0.01 * 3.7, 9);
  // One USD an hour: the boot, and a fifth of the five minutes that a broken machine costs.
  expect(cost.waiting).toBeCloseTo((180 + 60) / 3600, 9);
  expect(cost.total).toBeCloseTo(cost.gpu + cost.storage + cost.bytes + cost.waiting, 9);
});

test("an offer without a price for bytes has none", () => {
  expect(expectedCost({ total: 0.3, storage: 0 }, FACTS).bytes).toBe(0);
});

test("in words, as the log has them: what is billed, and the wait apart; what comes to nothing is left out", () => {
  const cost = { gpu: 0.031, storage: 0.0002, bytes: 0.004, waiting: 0.006, total: 0.0412 };
  expect(describeExpectedCost(cost)).toBe(
    "0.035 USD expected: GPU 0.031, bytes 0.004; to rank offers, 0.006 more for the wait",
  );
  expect(describeExpectedCost({ ...cost, storage: 0.002, bytes: 0, total: 0.039 })).toBe(
    "0.033 USD expected: GPU 0.031, storage 0.002; to rank offers, 0.006 more for the wait",
  );
});

test("how long a job takes: a guess until one is known, then the mean of all with that guess", () => {
  expect(expectedJobMs([])).toBe(500_000);
  expect(expectedJobMs([600_000])).toBe(550_000);
  expect(expectedJobMs([600_000, 600_000, 600_000])).toBe(575_000);
});

test("a spare: its bytes and the wait in full, its GPU and storage by the chance that it gets a job", () => {
  const cost = { gpu: 0.04, storage: 0.004, bytes: 0.02, waiting: 0.03, total: 0.094 };
  expect(spareCost(cost)).toBeCloseTo(0.25 * 0.044 + 0.05, 10);
});
