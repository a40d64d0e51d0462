import { describe, expect, test } from "vitest";
import type { FleetRequest } from "../../../src/fleet/state/fleet-request.ts";
import { budgetLeft, creditWarning, planRental, shareOf } from "../../../src/fleet/state/rental.ts";
import type { Report } from "../../../src/machine/report.ts";
import { anOffer } from "../support/an-offer.ts";

const NOW = Date.UTC(2026, 0, 1);
const MINUTE = 60_000;
const PRICE = { total: 0.6, storage: 0 };
const LIMITS = {
  bootMs: 3 * MINUTE,
  onlineMs: 2 * MINUTE,
  readyMs: 25 * MINUTE,
  lifetimeMs: 60 * MINUTE,
  idleMs: 5 * MINUTE,
};

function request(money: FleetRequest["money"]): FleetRequest {
  return { money, leastMs: 10 * MINUTE, limits: LIMITS } as FleetRequest;
}

/** A machine at 0.60 USD per hour that ran for so many minutes, and is gone. */
function ran(minutes: number, given: Partial<Report> = {}): Report {
  const from = NOW - minutes * MINUTE;
  return {
    instanceId: 7,
    offer: { id: 11, gpu_name: "RTX 4090", num_gpus: 1 },
    price: PRICE,
    at: { asked: from, created: from, running: from, gone: NOW },
    isGone: true,
    last: "ready",
    ...given,
  };
}

describe("what max-cost has left", () => {
  test("nothing is bounded without it", () => {
    expect(budgetLeft(request({}), [ran(10)], NOW)).toBeUndefined();
  });

  test("every machine that is gone counts what it cost, a little late", () => {
    const left = budgetLeft(request({ maxCost: 1 }), [ran(10), ran(5)], NOW)?.left;
    // 10 + 5 minutes, and 20 s for each of the two.
    expect(left).toBeCloseTo(1 - 0.15 - (2 * 20 * 0.6) / 3600, 10);
  });

  test("for one that is alive all that it may cost until its deadline is set aside", () => {
    const candidate = { offer: anOffer(), price: PRICE };
    const { estimate } = planRental(NOW, LIMITS, candidate, undefined, undefined);
    const alive = ran(0, { estimate, at: { asked: NOW, created: NOW }, isGone: undefined });
    expect(budgetLeft(request({ maxCost: 1 }), [alive], NOW)?.left).toBeCloseTo(1 - estimate.most, 10);
    const missing = { ...alive, at: { ...alive.at, gone: NOW } };
    expect(budgetLeft(request({ maxCost: 1 }), [missing], NOW)?.left).toBeCloseTo(1 - estimate.most, 10);
  });

  test("several machines that are wanted share it, as many as can be paid", () => {
    const candidate = { offer: anOffer({ inet_down_cost: undefined }), price: PRICE };
    const left = budgetLeft(request({ maxCost: 0.5 }), [], NOW);
    expect(shareOf(left, candidate, 2)?.left).toBeCloseTo(0.25, 10);
    // The shortest use costs 0.11: four can be paid.
    expect(shareOf(left, candidate, 16)?.left).toBeCloseTo(0.125, 10);
    expect(shareOf(undefined, candidate, 2)).toBeUndefined();
  });
});

describe("the account's credit", () => {
  test("that may run out before the deadline is warned of", () => {
    expect(creditWarning(request({ credit: 0.5 }), [], 0.5, NOW)).toBeUndefined();
    expect(creditWarning(request({ credit: 0.5 }), [], 0.51, NOW)).toContain(
      "about 0.50 USD of credit, and this machine may cost 0.51 USD",
    );
    expect(creditWarning(request({ credit: 0.5 }), [ran(10)], 0.45, NOW)).toContain("about 0.40 USD of credit");
  });

  test("that is not known is not warned of", () => {
    expect(creditWarning(request({}), [], 100, NOW)).toBeUndefined();
  });
});
