import { describe, expect, test } from "vitest";
import { actualCost, type Billed, describeEstimate, estimateCost, totalCost } from "../../../src/money/cost.ts";

const START = Date.UTC(2026, 0, 1);
const MINUTE = 60_000;

/** A machine at 0.60 USD per hour, 0.06 of it storage; moments in minutes from its create. */
function report(at: { created?: number; running?: number; gone?: number }): Billed {
  const times = Object.entries(at).map(([stage, minute]) => [stage, START + minute * MINUTE]);
  return { price: { total: 0.6, storage: 0.06 }, at: Object.fromEntries(times) };
}

const END = START + 90 * MINUTE;

test.each([
  ["only its storage, when it never ran", report({ created: 0, gone: 10 }), 0.01],
  ["nothing, when it was gone before it was seen to run", report({ created: 5, running: 6, gone: 5 }), 0],
])("%s", (_when, machine, usd) => {
  expect(actualCost(machine, END).total).toBeCloseTo(usd, 10);
});

test("of a machine that failed, its image counts whatever the service shows, and the runner once it ran", () => {
  const estimate = { bytes: { imageGb: 3, runnerGb: 0.2 } };
  const price = { total: 0.6, storage: 0.06, inetDown: 0.01 };
  const failed = { ...report({ created: 0, gone: 10 }), price, estimate };
  expect(actualCost(failed, END).bytes).toBeCloseTo(0.03, 10);
  expect(actualCost({ ...failed, traffic: { downGb: 0.5, upGb: 0 } }, END).bytes).toBeCloseTo(0.03, 10);
  expect(actualCost({ ...failed, traffic: { downGb: 9, upGb: 0 } }, END).bytes).toBeCloseTo(0.09, 10);
  const ran = { ...report({ created: 0, running: 5, gone: 10 }), price, estimate };
  expect(actualCost(ran, END).bytes).toBeCloseTo(0.032, 10);
  expect(actualCost({ ...report({}), price, estimate }, END).bytes).toBeUndefined();
});

describe("traffic", () => {
  const prices = { total: 0.6, storage: 0.06, inetDown: 0.01, inetUp: 0.02 };
  const busy = { ...report({ created: 0, gone: 60 }), price: prices, traffic: { downGb: 10, upGb: 5 } };

  test("as the service last showed them, at the offer's prices", () => {
    expect(actualCost(busy, END)).toMatchObject({ gpu: 0, storage: 0.06, bytes: 0.2 });
    expect(actualCost(busy, END).total).toBeCloseTo(0.26, 10);
  });

  test("are not known where the service shows none, or the offer has no price", () => {
    expect(actualCost({ ...busy, traffic: undefined }, END).bytes).toBeUndefined();
    expect(actualCost({ ...busy, price: { total: 0.6, storage: 0.06 } }, END).bytes).toBeUndefined();
  });

  test("is not known, either, where the image's size is not: the runner alone would pass for all of it", () => {
    const estimate = { bytes: { runnerGb: 0.2 } };
    const ran = { ...report({ created: 0, running: 5, gone: 60 }), price: prices, estimate };
    expect(actualCost(ran, END).bytes).toBeUndefined();
    expect(actualCost({ ...ran, traffic: { downGb: 0.1, upGb: 0 } }, END).bytes).toBeCloseTo(0.002, 10);
  });

  test("of one direction, where only that has a price", () => {
    const { inetUp: _, ...down } = prices;
    expect(actualCost({ ...busy, price: down }, END).bytes).toBeCloseTo(0.1, 10);
  });

  test("several machines add up; traffic is known if it is of one of them", () => {
    const other = report({ created: 0, running: 30, gone: 60 });
    const total = totalCost([busy, other], END);
    expect(total.total).toBeCloseTo(0.26 + 0.06 + 0.27, 10);
    expect(total.bytes).toBeCloseTo(0.2, 10);
    expect(totalCost([other], END).bytes).toBeUndefined();
    expect(totalCost([], END)).toEqual({ gpu: 0, storage: 0, bytes: undefined, total: 0 });
  });
});

const NOW = Date.UTC(2026, 0, 1);
const HOUR = 3_600_000;
const PRICE = { total: 0.6, storage: 0.06, inetDown: 0.01, inetUp: 0.02 };

function estimate(given: Partial<Parameters<typeof estimateCost>[0]> = {}) {
  return estimateCost({ price: PRICE, from: NOW, deadline: NOW + 2 * HOUR, imageBytes: 5_000_000_000, ...given });
}

test("the whole time at the whole price, and the traffic that is known", () => {
  const { minutes, machine, bytes, most, holder } = estimate();
  expect({ minutes, machine }).toEqual({ minutes: 120, machine: 1.2 });
  expect(bytes).toEqual({ imageGb: 5, runnerGb: 0.2, usd: expect.closeTo(0.052, 10) });
  expect(most).toBeCloseTo(1.252, 10);
  expect(holder).toEqual({ usdPerMinute: 0.006, usd: expect.closeTo(0.72, 10) });
});

test("in sentences: price, traffic, the most that it may cost, the job that rents", () => {
  expect(describeEstimate(estimate(), PRICE)).toEqual([
    [
      "Price: 0.60 USD per hour (GPU 0.54 USD, storage 0.0600 USD). Traffic: 0.0520 USD at 0.0100 USD per GB (5.0 GB of image and 0.2 GB of runner program).",
      "It may cost 1.25 USD at most, if it is used until its deadline in 2h. What the job loads comes on top.",
    ],
    "The job that rents costs nothing in a public repository, and 0.72 USD at most in a private one (0.006 USD per minute on a Linux runner of 2 cores).",
  ]);
});

test("says which traffic is not counted", () => {
  const [[unsized]] = describeEstimate(estimate({ imageBytes: undefined }), PRICE);
  expect(unsized).toContain("that of the image is not counted, its size is not known");
  const bare = { total: 0.6, storage: 0.06 };
  const [[unpriced]] = describeEstimate(estimate({ price: bare }), bare);
  expect(unpriced).toContain("Traffic is not counted: the offer has no price for them.");
});
