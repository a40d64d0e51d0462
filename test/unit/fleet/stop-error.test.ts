import { describe, expect, test } from "vitest";
import type { Stop } from "../../../src/fleet/decide/stop.ts";
import type { FleetRequest } from "../../../src/fleet/options.ts";
import type { Ending, Fleet } from "../../../src/fleet/state.ts";
import { stopError } from "../../../src/fleet/stop-error.ts";
import { NoOfferError } from "../../../src/market/errors.ts";
import { UserError } from "../../../src/shared/user-error.ts";
import { aFleet, aPolicy, booting, NOW, spent } from "../support/a-fleet.ts";

function errorOf(stop: Stop, given: Partial<Fleet> = {}) {
  const fleet = aFleet([], { repositoryAlive: 0, ...given });
  const request = { money: {} } as FleetRequest;
  return stopError({ kind: "stopped", stop, jobs: [] }, { fleet, policy: aPolicy(), request, now: NOW });
}

const failure = (n: number, blame: Ending["blame"]) => {
  const ending = { kind: "failed", why: "no", isUnasked: false, blame, since: NOW } as const;
  return booting(n, { ending, goneAt: NOW });
};

describe("no machine within ready-timeout", () => {
  const late: Stop = { kind: "ready-timeout", failures: [] };

  test("other runs have all machines of the repository: that is the reason, and the input is named", () => {
    const error = errorOf(late, { repositoryAlive: 8 });
    expect(error.message).toMatch(/^No machine was ready within ready-timeout \(25m\)\. 8 of 8 machines of this repo/);
    expect(error.hint).toContain("machines-per-repository");
    expect(error.hint).not.toContain("ask for a GPU");
  });

  test("nothing fitted in all that time: what keeps the offers away is the answer, as after search-timeout", () => {
    const nothing = new NoOfferError("RTX 4090", { sentence: "Too dear.", hint: "Raise max-price to 0.72 or more." });
    const market = { searchedAt: NOW, searchAgainAt: NOW, times: 9, candidates: [], nothing };
    const error = errorOf(late, { market, noOfferSince: NOW - 1_500_000 });
    expect(error.message).toBe(
      "Too dear. Searched for all of ready-timeout (25m). Nothing was rented. No offer matches: RTX 4090.",
    );
    expect(error.hint).toBe("Raise max-price to 0.72 or more.");
    expect(errorOf(late, { market }).message).toMatch(/^No machine was ready within ready-timeout/);
  });

  test("who asked to come later is told: the service, or what GitHub said last", () => {
    const machines = [failure(1, "machine")];
    const pause = { until: NOW, times: 14 };
    expect(errorOf(late, { machines, pause }).message).toContain("The service asked to come later, 14 times.");
    const error = new UserError("GitHub gave no answer (502).");
    const { message } = errorOf(late, { machines, pause: { ...pause, error } });
    expect(message).toContain("GitHub gave no answer (502).");
    expect(message).not.toContain("The service asked");
  });

  test("one doubt of GitHub, long past, is not what kept all machines from being ready", () => {
    const pause = { until: NOW - 1_200_000, times: 1, error: new UserError("GitHub gave no answer (502).") };
    const error = errorOf(late, { pause, repositoryAlive: 8 });
    expect(error.message).toMatch(/^No machine was ready within ready-timeout \(25m\)\. 8 of 8 machines of this repo/);
    expect(error.hint).toContain("machines-per-repository");
  });

  test("nor is it where nothing fits since: a doubt that goes on is", () => {
    const doubt = new UserError("GitHub gave no answer (502).");
    const nothing = new NoOfferError("RTX 4090", { sentence: "Too dear.", hint: "Raise max-price." });
    const market = { searchedAt: NOW, searchAgainAt: NOW, times: 9, candidates: [], nothing };
    const { message } = errorOf(late, {
      market,
      noOfferSince: NOW - 1_500_000,
      pause: { until: NOW - 1_500_000, times: 1, error: doubt },
    });
    expect(message).toMatch(/^Too dear\./);
    expect(errorOf(late, { pause: { until: NOW - 20_000, times: 9, error: doubt } }).message).toMatch(
      /^GitHub gave no/,
    );
  });

  test("a service that asked to come later once did so once", () => {
    const machines = [failure(1, "machine")];
    const { message } = errorOf(late, { machines, pause: { until: NOW, times: 1 } });
    expect(message).toContain("The service asked to come later, 1 time.");
  });

  test("the service gave no list, without which nothing is rented: no other GPU is the way out", () => {
    const error = errorOf(late, { instancesAt: NOW - 1_440_000 });
    expect(error.message).toBe(
      "No machine was ready within ready-timeout (25m). The service gave no list of instances for 24m, without which nothing is rented. Nothing was rented.",
    );
    expect(error.hint).not.toContain("ask for a GPU");
  });

  test("it is not when they are ours, or when there is room", () => {
    expect(errorOf(late, { repositoryAlive: 7 }).hint).toContain("ask for a GPU");
    const ours = [1, 2, 3, 4, 5, 6, 7, 8].map((n) => spent(n));
    expect(errorOf(late, { repositoryAlive: 8, machines: ours }).hint).toContain("ask for a GPU");
  });
});

test("the probe is blamed for those machines alone that ended while they prepared", () => {
  const failures = [failure(1, "boot"), failure(2, "preparing"), failure(3, "online"), failure(4, "preparing")];
  expect(errorOf({ kind: "preparing", failures }).message).toMatch(/^2 machines gave themselves back/);
});

test("machines failed, and no other offer is there: both are told, and what to do about either", () => {
  const stop = { kind: "no-offer", taken: 0, failures: [failure(1, "boot")] } as unknown as Stop;
  const nothing = new NoOfferError("RTX 4090", { sentence: "Too dear.", hint: "Raise max-price to 0.72 or more." });
  const market = { searchedAt: NOW, searchAgainAt: NOW, times: 1, candidates: [], nothing };
  const error = errorOf(stop, { market });
  expect(error.message).toMatch(/machines failed: 1 too slow to boot\. .* No other offer fits\. /);
  expect(error.hint).toMatch(/raise boot-timeout\. For other offers: raise max-price to 0\.72 or more\.$/);
  expect(errorOf(stop).hint).toMatch(/raise boot-timeout\.$/);
});

describe("nothing was to be had", () => {
  const nothing = new NoOfferError("RTX 4090", { sentence: "Too dear.", hint: "Raise max-price to 0.72 or more." });
  const market = { searchedAt: NOW, searchAgainAt: NOW, times: 1, candidates: [], nothing };
  const stop = { kind: "no-offer", failures: [] } as unknown as Stop;

  test("no offer fits: what keeps the offers away, and how long was searched", () => {
    expect(errorOf(stop, { market }).message).toMatch(/^Too dear\. Searched for all of search-timeout \(10m\)\. /);
  });

  test("others took what did fit: that is the reason, though by now nothing else does", () => {
    const taken = [51, 52].map((id) => ({ id, at: NOW, times: 1 }));
    expect(errorOf(stop, { market, taken }).message).toMatch(/^None of the 2 matching offers could be had\. /);
  });

  test("nothing is said to be spent where nothing was rented", () => {
    expect(errorOf(stop, { market }).message).not.toContain("spent");
    const error = errorOf({ kind: "attempts", failures: [failure(1, "boot")] }, { machines: [failure(1, "boot")] });
    expect(error.message).toMatch(/About 0\.00 USD spent\./);
  });
});

test("what max-cost has left pays for no offer, and one was gone before: the money is the reason", () => {
  const nothing = new NoOfferError("RTX 4090", {
    sentence: "All cost too much.",
    hint: "Raise max-cost.",
    input: "max-cost",
  });
  const market = { searchedAt: NOW, searchAgainAt: NOW, times: 1, candidates: [], nothing };
  const error = errorOf({ kind: "max-cost", failures: [] }, { market, taken: [{ id: 1, at: NOW, times: 1 }] });
  expect(error.message).toMatch(/^All cost too much\./);
  expect(error.hint).toBe("Raise max-cost.");
});
