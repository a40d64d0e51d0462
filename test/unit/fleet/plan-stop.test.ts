import { describe, expect, test } from "vitest";
import { stopOf } from "../../../src/fleet/plan/plan-stop.ts";
import type { Fleet } from "../../../src/fleet/state/fleet.ts";
import type { Machine } from "../../../src/fleet/state/machine.ts";
import type { FleetOptions } from "../../../src/fleet/state/policy.ts";
import { NoOfferError } from "../../../src/market/market-errors.ts";
import { UserError } from "../../../src/shared/user-error.ts";
import { aFleet, aPolicy, booting, NOW } from "../support/a-fleet.ts";

const MINUTE = 60_000;

function stop(given: Partial<Fleet>, policy: Partial<FleetOptions> = {}, machines: Machine[] = []): string | undefined {
  return stopOf(aFleet(machines, given), aPolicy(policy), NOW)?.kind;
}

const ended = (n: number, blame: "machine" | "image" | "preparing" = "machine") =>
  booting(n, { ending: { kind: "failed", why: "no", isUnasked: false, blame, since: NOW }, goneAt: NOW });

/** The market has nothing, by the fault of this input. */
const empty = (input?: string): Partial<Fleet> => ({
  market: {
    searchedAt: NOW,
    searchAgainAt: NOW,
    candidates: [],
    times: 3,
    nothing: new NoOfferError("", { sentence: "Nothing fits.", hint: "", ...(input && { input }) }),
  },
});

describe("renting stops", () => {
  test("not while nothing is wrong", () => {
    expect(stop({})).toBeUndefined();
  });

  test("when no offer fits for search-timeout", () => {
    expect(stop({ ...empty(), noOfferSince: NOW - 10 * MINUTE + 1 })).toBeUndefined();
    expect(stop({ ...empty(), noOfferSince: NOW - 10 * MINUTE })).toBe("no-offer");
    expect(stop({ ...empty(), noOfferSince: NOW }, { searchMs: 0 })).toBe("no-offer");
  });

  test("at once when max-cost is used up", () => {
    expect(stop({ ...empty("max-cost"), noOfferSince: NOW })).toBe("max-cost");
    expect(stop({ ...empty("max-price"), noOfferSince: NOW })).toBeUndefined();
  });

  test("not by max-cost when a machine has gone since the search: what was set aside for it is free", () => {
    const gone = (goneAt: number) => [booting(1, { goneAt })];
    const used = { ...empty("max-cost"), noOfferSince: NOW - 60 * MINUTE };
    expect(stop(used, {}, gone(NOW - 1))).toBe("max-cost");
    expect(stop(used, {}, gone(NOW + 1))).toBeUndefined();
  });

  test.each(["request", "account", "registration"] as const)("when the %s is refused", (by) => {
    expect(stop({ refusal: { by, error: () => new UserError("No.") } })).toBe("refused");
  });

  test("while a machine can't be destroyed, and no longer than it is there", () => {
    const fault = new UserError("The key may not destroy.");
    expect(stop({}, {}, [booting(1, { fault })])).toBe("undestroyed");
    expect(stop({ refusal: { by: "request", error: () => new UserError("No.") } }, {}, [booting(1, { fault })])).toBe(
      "undestroyed",
    );
    expect(stop({}, {}, [booting(1, { fault, goneAt: NOW })])).toBeUndefined();
  });

  test("when attempts × the most wanted at a time have failed since a job last began", () => {
    const machines = [1, 2, 3, 4, 5, 6, 7, 8].map((n) => ended(n));
    const failed = (count: number) => machines.slice(0, count).map(({ n }) => n);
    expect(stop({ failedSinceJob: failed(3) }, {}, machines)).toBeUndefined();
    expect(stop({ failedSinceJob: failed(4) }, {}, machines)).toBe("attempts");
    expect(stop({ failedSinceJob: failed(7), mostWanted: 2 }, {}, machines)).toBeUndefined();
    expect(stop({ failedSinceJob: failed(8), mostWanted: 2 }, {}, machines)).toBe("attempts");
  });

  test("spares that were not needed don't count", () => {
    expect(
      stop(
        { failedSinceJob: [] },
        {},
        [1, 2, 3, 4].map((n) => ended(n)),
      ),
    ).toBeUndefined();
  });

  test("when a job has waited for ready-timeout with none ready or busy", () => {
    expect(stop({ unservedSince: NOW - 25 * MINUTE + 1 })).toBeUndefined();
    expect(stop({ unservedSince: NOW - 25 * MINUTE })).toBe("ready-timeout");
  });
});

describe("with a new volume", () => {
  const policy = { makesVolume: true };
  const stray = (isUncertain: boolean) => ({ n: 1, asked: booting(1), since: NOW, isUncertain });

  test("after the first machine: each would make another volume, which bills on", () => {
    expect(stop({}, policy)).toBeUndefined();
    expect(stop({}, policy, [booting(1)])).toBe("volume");
    expect(stop({}, policy, [booting(1, { goneAt: NOW })])).toBe("volume");
    expect(stop({}, {}, [booting(1)])).toBeUndefined();
  });

  test("after a create in doubt, too; one that was surely not carried out made none", () => {
    expect(stop({ strays: [stray(true)] }, policy)).toBe("volume");
    expect(stop({ strays: [stray(false)] }, policy)).toBeUndefined();
  });

  test("a machine that failed is the better reason", () => {
    expect(stop({ failedSinceJob: [1] }, { ...policy, attempts: 1 }, [ended(1)])).toBe("attempts");
  });
});

describe("what a second machine says, too, is no machine's fault", () => {
  test("an image that can't be pulled", () => {
    const machines = [ended(1, "image"), ended(2, "image")];
    expect(stop({ failedSinceJob: [1] }, {}, machines)).toBeUndefined();
    expect(stop({ failedSinceJob: [1, 2] }, {}, machines)).toBe("image");
  });

  test("the same machine twice is one", () => {
    const [one, two] = [ended(1, "image"), ended(2, "image")];
    expect(stop({ failedSinceJob: [1, 2] }, {}, [one, { ...two, candidate: one.candidate }])).toBeUndefined();
  });

  test("a probe that fails, where there is one", () => {
    const machines = [ended(1, "preparing"), ended(2, "preparing")];
    expect(stop({ failedSinceJob: [1, 2] }, { hasProbe: true }, machines)).toBe("preparing");
    expect(stop({ failedSinceJob: [1, 2] }, {}, machines)).toBeUndefined();
  });
});
