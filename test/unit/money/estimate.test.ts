import { expect, test } from "vitest";
import { describeEstimate, estimateCost } from "../../../src/money/cost.ts";

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

test("an image of unknown size counts nothing; nor does an offer without a price for traffic", () => {
  expect(estimate({ imageBytes: undefined }).bytes).toEqual({ imageGb: undefined, runnerGb: 0.2, usd: 0.002 });
  const unpriced = estimate({ price: { total: 0.6, storage: 0.06 } });
  expect(unpriced.bytes.usd).toBeUndefined();
  expect(unpriced.most).toBe(1.2);
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
