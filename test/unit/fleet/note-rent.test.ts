import { describe, expect, test, vi } from "vitest";
import type { MachineRecord } from "../../../src/create/machine-record.ts";
import type { RentOutcome } from "../../../src/create/rent.ts";
import { noteRentOutcome } from "../../../src/fleet/note-rent.ts";
import type { Machine } from "../../../src/fleet/state/machine.ts";
import type { Fleet } from "../../../src/fleet/state.ts";
import { GithubUnavailableError } from "../../../src/github/github-errors.ts";
import { faultOf, UserError } from "../../../src/shared/user-error.ts";
import { aCandidate, aFleet, aPolicy, asked, NOW, ready } from "../support/a-fleet.ts";
import { RecordedLog } from "../support/recorded-log.ts";
import { aRefusal } from "../support/service-faults.ts";

const log = new RecordedLog();
const clock = { now: () => NOW, sleep: async () => {} };
const REFUSED = new UserError("No.");

function noted(outcome: RentOutcome, given: Partial<Fleet> = {}, bidFallback = false): Fleet {
  const fleet = aFleet([asked(1)], { repositoryAlive: 0, ...given });
  noteRentOutcome(fleet, 1, outcome, { clock, log, policy: aPolicy({ bidFallback }) });
  return fleet;
}

const created = { kind: "created", instanceId: 7, report: {} as MachineRecord } as const;

test("created: it is booting, and the pause is over", () => {
  const fleet = noted(created, { pause: { until: NOW, times: 3 } });
  expect(fleet.machines[0]).toMatchObject({ instanceId: 7, createdAt: NOW, act: undefined });
  expect(fleet).toMatchObject({ pause: undefined, repositoryAlive: 1, strays: [] });
});

test("refused, and made all the same: failed at once, and excluded", () => {
  const fleet = noted({ ...created, unwanted: "disk is too small" });
  expect(fleet.machines[0]?.ending).toMatchObject({ kind: "failed", why: "disk is too small" });
  expect(fleet).toMatchObject({ failedSinceJob: [1], excluded: { machines: [100], offers: [1] } });
});

test("an id that another machine has: that one and its job stay, and this one counts as not known", () => {
  const fleet = aFleet([ready(1), asked(2)]);
  noteRentOutcome(
    fleet,
    2,
    { ...created, instanceId: 701, unwanted: "you have it" },
    { clock, log, policy: aPolicy() },
  );
  expect(fleet.machines.map(({ n, ending }) => [n, ending])).toEqual([[1, undefined]]);
  expect(fleet).toMatchObject({ strays: [{ n: 2, isUncertain: true }], excluded: { offers: [2] }, failedSinceJob: [] });
});

test("refused for its bid, and made all the same: it was outbid, and no bid is made where bid-fallback says so", () => {
  const candidate = { ...aCandidate(1), price: { total: 0.4, storage: 0, bid: 0.3 } };
  const made = (unwanted: string, bidFallback = true, given: Partial<Machine> = { candidate }) =>
    noted({ ...created, unwanted }, { machines: [asked(1, given)] }, bidFallback);
  expect(made("bid is too low").machines[0]?.ending?.isOutbid).toBe(true);
  expect(made("bid is too low")).toMatchObject({ isOnDemand: true, market: undefined, failedSinceJob: [1] });
  expect(made("bid is too low", false).isOnDemand).toBe(false);
  expect(made("disk is too small").isOnDemand).toBe(false);
  expect(made("bid is too low", true, {}).isOnDemand).toBe(false);
});

test("somebody else has it: the next offer, and no attempt is used up", () => {
  const fleet = noted({ kind: "not-made", why: "gone", refusal: aRefusal(404, "no such ask"), isListed: false });
  expect(fleet).toMatchObject({
    machines: [],
    taken: [{ id: 1, at: NOW, times: 1 }],
    failedSinceJob: [],
    excluded: { machines: [] },
  });
});

test("somebody else has it again: counted", () => {
  const before = [
    { id: 1, at: 0, times: 1 },
    { id: 2, at: 0, times: 1 },
  ];
  const { taken } = noted(
    { kind: "not-made", why: "gone", refusal: aRefusal(404, ""), isListed: false },
    { taken: before },
  );
  expect(taken).toEqual([
    { id: 2, at: 0, times: 1 },
    { id: 1, at: NOW, times: 2 },
  ]);
});

test("no answer, and nothing is listed: its host stays excluded, and what may turn up is remembered", () => {
  const fleet = noted({ kind: "not-made", why: "unknown", refusal: aRefusal(404, "socket hang up"), isListed: false });
  expect(fleet).toMatchObject({ machines: [], excluded: { machines: [100] }, strays: [{ n: 1, since: NOW }] });
});

describe("an answer 429", () => {
  const tooFast = (times: number) =>
    noted(
      { kind: "not-made", why: "too-fast", refusal: aRefusal(404, ""), isListed: false },
      { pause: { until: 0, times } },
    ).pause;

  test("waits, longer each time, to two minutes", () => {
    vi.spyOn(Math, "random").mockReturnValue(0);
    expect([0, 1, 2, 20].map((times) => (tooFast(times)?.until ?? 0) - NOW)).toEqual([12_000, 19_200, 30_720, 120_000]);
    vi.restoreAllMocks();
  });

  test("not in step with other runs", () => {
    vi.spyOn(Math, "random").mockReturnValue(1);
    expect((tooFast(0)?.until ?? 0) - NOW).toBe(15_600);
    vi.restoreAllMocks();
  });
});

test("refused by the service: nothing else is asked", () => {
  const fleet = noted({ kind: "refused", by: "account", refusal: aRefusal(400, "no", "no-credit"), isListed: true });
  expect(fleet.refusal?.by).toBe("account");
  expect(fleet.machines).toEqual([]);
});

describe("a limit on what a new account may spend an hour", () => {
  const limited = (given: Partial<Fleet>) =>
    noted({ kind: "refused", by: "spend-rate", refusal: aRefusal(400, "Limit", "spend-rate"), isListed: true }, given);

  test("is no last word while machines are alive: one that goes makes room for the next", () => {
    const fleet = limited({ repositoryAlive: 1 });
    expect(fleet.refusal).toBeUndefined();
    expect(fleet.pause?.until).toBeGreaterThan(NOW);
  });

  test("is one when there are none", () => {
    const fleet = limited({ repositoryAlive: 0 });
    expect(fleet.refusal?.error("Nothing was rented.").message).toBe(
      "The service rents nothing to this account: Limit. Nothing was rented.",
    );
    expect(fleet.pause).toBeUndefined();
  });
});

describe("GitHub registers no runner", () => {
  test("it says no: nothing else is asked, and nothing can turn up", () => {
    const fleet = noted({ kind: "unregistered", fault: faultOf(REFUSED) });
    expect(fleet).toMatchObject({ refusal: { by: "registration" }, strays: [], machines: [] });
  });

  test("it can't be asked: later again", () => {
    const fleet = noted({ kind: "unregistered", fault: faultOf(new GithubUnavailableError("register", "502")) });
    expect(fleet.refusal).toBeUndefined();
    expect(fleet.pause?.until).toBeGreaterThan(NOW);
  });
});
