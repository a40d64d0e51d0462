import { describe, expect, test } from "vitest";
import type { FleetRequest } from "../../../../src/fleet/options.ts";
import { priceAbove } from "../../../../src/fleet/price.ts";
import { planRental } from "../../../../src/fleet/renting/terms.ts";
import type { MachineRecord } from "../../../../src/machine/record.ts";
import { budgetLeft, creditWarning, describeCut, shareOf } from "../../../../src/money/max-cost.ts";
import { anOffer } from "../../support/an-offer.ts";
import { booting } from "../../support/machines.ts";

const NOW = Date.UTC(2026, 0, 1);
const MINUTE = 60_000;
const PRICE = { total: 0.6, storage: 0 };
const LIMITS = { bootMs: 3 * MINUTE, onlineMs: 2 * MINUTE, readyMs: 25 * MINUTE, maxLifetime: 60 * MINUTE };

function request(money: FleetRequest["money"], isDevel = false, bytes?: number): FleetRequest {
  const image = { name: "debian:13", bytes, isDevel, decidesBoot: true };
  return { money, image, leastMs: 10 * MINUTE, limits: LIMITS } as FleetRequest;
}

/** A machine at 0.60 USD per hour that ran for so many minutes, and is gone. */
function ran(minutes: number, given: Partial<MachineRecord> = {}): MachineRecord {
  const from = NOW - minutes * MINUTE;
  return {
    instanceId: 7,
    offer: { id: 11, gpuName: "RTX 4090", numGpus: 1 },
    price: PRICE,
    at: { asked: from, created: from, running: from, gone: NOW },
    isGone: true,
    last: "ready",
    ...given,
  };
}

describe("what max-cost has left", () => {
  test("every machine that is gone counts what it cost, a little late; nothing is bounded without max-cost", () => {
    expect(budgetLeft(request({}), [ran(10)], NOW)).toBeUndefined();
    const left = budgetLeft(request({ maxCost: 1 }), [ran(10), ran(5)], NOW)?.left;
    // 10 + 5 minutes, and 20 s for each of the two.
    expect(left).toBeCloseTo(1 - 0.15 - (2 * 20 * 0.6) / 3600, 10);
  });

  /** A minute of its end, at 0.60 USD per hour. */
  const END = 0.01;
  const alive = (imageBytes?: number, inetDown?: number, given: Partial<MachineRecord> = {}) => {
    const candidate = { offer: anOffer(), price: { ...PRICE, inetDown, inetUp: 0 } };
    const { deadline, estimate, price } = planRental(NOW, LIMITS, candidate, undefined, imageBytes);
    return ran(0, { price, deadline, estimate, at: { asked: NOW, created: NOW }, isGone: undefined, ...given });
  };
  const left = (maxCost: number, machine: MachineRecord) => budgetLeft(request({ maxCost }), [machine], NOW)?.left;

  test("for one that is alive all that it may cost until its deadline and its end is set aside", () => {
    const one = alive();
    const most = one.estimate?.most ?? Number.NaN;
    expect(left(1, one)).toBeCloseTo(1 - most - END, 10);
    expect(left(1, { ...one, at: { ...one.at, gone: NOW } })).toBeCloseTo(1 - most - END, 10);
  });

  test("no more than until max-lifetime after its runner was online, whatever boot and runner might have taken", () => {
    const one = alive(undefined, undefined, { deadline: NOW + 61 * MINUTE });
    expect(left(1, one)).toBeCloseTo(1 - 0.61 - END, 10);
  });

  test("at the price that the service asks for it now, where that is more", () => {
    const one = alive(undefined, undefined, { deadline: NOW + 65 * MINUTE, price: { total: 1.2, storage: 0 } });
    expect(left(3, one)).toBeCloseTo(3 - (65 / 60) * 1.2 - 2 * END, 10);
  });

  test("traffic of its job takes nothing from its time", () => {
    const known = request({ maxCost: 3 }, false, 5e9);
    const machine = (65 / 60) * 0.6;
    const loads = (downGb: number) => alive(5e9, 0.01, { traffic: { downGb, upGb: 0 } });
    expect(budgetLeft(known, [loads(1)], NOW)?.left).toBeCloseTo(3 - machine - END - 0.052, 10);
    expect(budgetLeft(known, [loads(100)], NOW)?.left).toBeCloseTo(3 - machine - END - 1, 10);
  });

  test("… also when its machine is gone, and the service never showed its traffic", () => {
    const gone = (given: Partial<MachineRecord>) => ran(10, { ...alive(undefined, 0.01), ...given, isGone: true });
    const at = { asked: NOW - 10 * MINUTE, created: NOW - 10 * MINUTE, running: NOW - 10 * MINUTE, gone: NOW };
    const time = 0.1 + (20 * 0.6) / 3600;
    expect(left(1, gone({ at }))).toBeCloseTo(1 - time - 0.052, 10);
    expect(left(1, gone({ at, traffic: { downGb: 1, upGb: 0 } }))).toBeCloseTo(1 - time - 0.01, 10);
  });

  test("one that has all that is left sets aside no more than that", () => {
    const candidate = { offer: anOffer({ inet_down_cost: 0.01 }), price: PRICE };
    const plan = planRental(NOW, LIMITS, candidate, budgetLeft(request({ maxCost: 0.3 }), [], NOW), undefined);
    expect(left(0.3, ran(0, { ...plan, at: { asked: NOW, created: NOW }, isGone: undefined }))).toBeCloseTo(0, 10);
  });

  test("several machines that are wanted share it, as many as can be paid", () => {
    const candidate = { offer: anOffer({ inet_down_cost: undefined }), price: PRICE };
    const left = budgetLeft(request({ maxCost: 0.5 }), [], NOW);
    expect(shareOf(left, candidate, 2)?.left).toBeCloseTo(0.25, 10);
    // The shortest rental costs 0.11: four can be paid.
    expect(shareOf(left, candidate, 16)?.left).toBeCloseTo(0.125, 10);
    expect(shareOf(undefined, candidate, 2)).toBeUndefined();
  });

  test("a cut says what is left, and what part of it is this machine's", () => {
    const left = { maxCost: 2, left: 1, leastMs: MINUTE, imageBytes: undefined };
    expect(describeCut(left, left)).toBe("Its time is cut: 1.00 USD of max-cost (2.00 USD) are left.");
    expect(describeCut(left, { ...left, left: 0.25 })).toBe(
      "Its time is cut: 1.00 USD of max-cost (2.00 USD) are left, and 0.25 USD of that are for this machine.",
    );
  });
});

test("a price that rose a little does not read like the one that was offered", () => {
  const machine = booting(1, { terms: { ...booting(1).terms, price: { total: 0.2, storage: 0 } }, usdPerHour: 0.3541 });
  expect(priceAbove(machine, 0.35)).toBe("0.354 USD");
  expect(priceAbove(machine, 0.2)).toBe("0.35 USD");
  expect(priceAbove(machine, 0.354)).toBeUndefined();
});

describe("the account's credit", () => {
  test("that may run out before the deadline is warned of, where it is known", () => {
    expect(creditWarning(request({}), [], 100, NOW)).toBeUndefined();
    expect(creditWarning(request({ credit: 0.5 }), [], 0.5, NOW)).toBeUndefined();
    expect(creditWarning(request({ credit: 0.5 }), [], 0.51, NOW)).toContain(
      "about 0.50 USD of credit, and this machine may cost 0.51 USD",
    );
    expect(creditWarning(request({ credit: 0.5 }), [ran(10)], 0.45, NOW)).toContain("about 0.40 USD of credit");
  });

  test.each([
    [0.00001, "has less than 0.0001 USD of credit"],
    [0, "has 0.00 USD of credit"],
  ])("%s USD that are left read as what they are", (credit, words) => {
    expect(creditWarning(request({ credit }), [], 0.5, NOW)).toContain(words);
  });
});
