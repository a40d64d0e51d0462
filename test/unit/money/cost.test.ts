import { describe, expect, test } from "vitest";
import { actualCost, type Billed, totalCost } from "../../../src/money/cost.ts";

const START = Date.UTC(2026, 0, 1);
const MINUTE = 60_000;

/** A machine at 0.60 USD per hour, 0.06 of it storage; moments in minutes from its create. */
function report(at: { created?: number; running?: number; gone?: number }): Billed {
  const times = Object.entries(at).map(([stage, minute]) => [stage, START + minute * MINUTE]);
  return { price: { total: 0.6, storage: 0.06 }, at: Object.fromEntries(times) };
}

const END = START + 90 * MINUTE;

test.each([
  ["only its storage, when it never ran", report({ created: 0, gone: 10 }), END, 0.01],
  ["nothing, when nothing was created", report({}), START, 0],
  ["nothing, when it was gone before it was seen to run", report({ created: 5, running: 6, gone: 5 }), START, 0],
])("%s", (_when, machine, end, usd) => {
  expect(actualCost(machine, end).total).toBeCloseTo(usd, 10);
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
