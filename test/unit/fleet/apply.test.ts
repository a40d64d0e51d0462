import { describe, expect, test } from "vitest";
import type { Use } from "../../../src/create/label.ts";
import { applyPlan } from "../../../src/fleet/apply.ts";
import type { Plan } from "../../../src/fleet/plan/plan.ts";
import type { Machine } from "../../../src/fleet/state/machine.ts";
import type { Ending, Fleet } from "../../../src/fleet/state.ts";
import { UserError } from "../../../src/shared/user-error.ts";
import { aCandidate, aFleet, aPolicy, booting, busy, gpuJobs, NOW, ready, spent } from "../support/a-fleet.ts";

const SECOND = 1000;

const ending = (kind: Ending["kind"], given: Partial<Ending> = {}): Ending => ({
  kind,
  why: "no",
  isUnasked: false,
  since: NOW,
  ...given,
});

function apply(fleet: Fleet, given: Partial<Plan> = {}, now = NOW, policy = aPolicy()): Fleet {
  applyPlan(fleet, { acts: [], endings: [], wanted: 0, lacking: 0, heldBack: 0, doubts: {}, ...given }, policy, now);
  return fleet;
}

const end = (machine: Machine, kind: Ending["kind"], policy = aPolicy(), given: Partial<Ending> = {}) =>
  apply(aFleet([machine]), { endings: [{ n: 1, ending: ending(kind, given) }] }, NOW, policy);

describe("a machine ends", () => {
  test.each(["failed", "lost", "dropped"] as const)("%s: counted, and its machine is excluded", (kind) => {
    expect(end(ready(1), kind)).toMatchObject({ failedSinceJob: [1], excluded: { machines: [100], offers: [1] } });
  });

  test("over, or at its deadline, before a job began on it: counted", () => {
    expect(end(ready(1), "over").failedSinceJob).toEqual([1]);
    expect(end(ready(1), "deadline").failedSinceJob).toEqual([1]);
  });

  test("over after its job, not needed, or at its deadline: not counted", () => {
    expect(end(spent(1), "over").failedSinceJob).toEqual([]);
    expect(end(ready(1), "unneeded").failedSinceJob).toEqual([]);
    expect(end(busy(1), "deadline").failedSinceJob).toEqual([]);
  });

  test("not needed: its report says so, that of no other one does", () => {
    const report = { at: {} } as NonNullable<Machine["report"]>;
    const isUnneeded = (kind: Ending["kind"]) =>
      end(ready(1, { report: { ...report } }), kind).machines[0]?.report?.isUnneeded;
    expect(isUnneeded("unneeded")).toBe(true);
    expect(isUnneeded("over")).toBeUndefined();
  });

  test("outbid: no bid any more, where the user allows that", () => {
    const outbid = { isOutbid: true };
    expect(end(ready(1), "lost", aPolicy({ bidFallback: true }), outbid)).toMatchObject({
      isOnDemand: true,
      market: undefined,
    });
    expect(end(ready(1), "lost", aPolicy(), outbid).isOnDemand).toBe(false);
  });
});

describe("a job goes with its machine", () => {
  const lost = (kind: Ending["kind"], ago: number, given: Partial<Fleet> = {}) =>
    apply(aFleet([busy(1, { ending: ending(kind, { since: NOW - ago }) })], given)).lost;

  test("its job in progress for 60 s more is noted as lost", () => {
    expect(lost("lost", 59 * SECOND)).toEqual([]);
    expect(lost("lost", 60 * SECOND)).toMatchObject([
      { id: 101, name: "test 1", n: 1, instanceId: 701, cutBy: undefined },
    ]);
  });

  test("only by a list that was read a minute later", () => {
    const looks = { jobs: NOW - 1, instances: NOW };
    expect(lost("lost", 60 * SECOND, { looks })).toEqual([]);
  });

  test("at its deadline the input that set it is named", () => {
    expect(lost("deadline", 60 * SECOND)).toMatchObject([{ id: 101, cutBy: "max-lifetime" }]);
  });

  test("one that ended badly at its machine's deadline was cut off: the machine's script ends it within seconds", () => {
    const cut = (spentAt: number, kind: Ending["kind"], isBad = true) => {
      const job = { id: 101, name: "test 1", url: undefined, isOver: true, isBad };
      const uses = [{ ...spent(1).uses[0], job, spentAt } as Use];
      const machine = spent(1, { uses, deadline: NOW - 60 * SECOND, ending: ending(kind) });
      return apply(aFleet([machine])).lost;
    };
    const deadline = NOW - 60 * SECOND;
    expect(cut(deadline + 2 * SECOND, "deadline")).toMatchObject([{ id: 101, cutBy: "max-lifetime" }]);
    // Its clock is not this one's: main may see the job over before it sees the deadline.
    expect(cut(deadline - 3 * SECOND, "over")).toMatchObject([{ id: 101, cutBy: "max-lifetime" }]);
    expect(cut(deadline - 30 * SECOND, "deadline")).toEqual([]);
    expect(cut(deadline + 2 * SECOND, "deadline", false)).toEqual([]);
  });

  test("its loss is told as it was: outbid, stopped, silent or gone", () => {
    const went = (how: Partial<Machine>, given: Partial<Ending> = {}) =>
      apply(aFleet([busy(1, { ending: ending("lost", { since: 0, ...given }), ...how })])).lost[0]?.went;
    expect(went({ absentSince: 0 })).toBe("vanished");
    expect(went({ isSilent: true, absentSince: 0 })).toBe("vanished");
    expect(went({ isSilent: true })).toBe("fell silent");
    expect(went({}, { isOutbid: true })).toBe("was outbid");
    // It is destroyed by then, and a list may lack it.
    expect(went({ absentSince: 0 }, { isStopped: true })).toBe("was stopped by the service");
  });

  test("one that ended in time is not lost", () => {
    expect(apply(aFleet([spent(1, { ending: ending("lost", { since: 0 }) })])).lost).toEqual([]);
  });

  test("one that GitHub ended itself, on a host that had long been silent, is lost at once", () => {
    const job = { id: 101, name: "test 1", url: undefined, isOver: true, isBad: true };
    const use = (offlineSince?: number) => ({ ...spent(1).uses[0], job, offlineSince }) as Use;
    const ended = (since?: number) => spent(1, { uses: [use(since)], ending: ending("lost") });
    expect(apply(aFleet([ended(NOW - 600 * SECOND)])).lost).toMatchObject([{ id: 101, n: 1 }]);
    expect(apply(aFleet([ended()])).lost).toEqual([]);
  });

  test("not while the jobs can't be read", () => {
    expect(lost("lost", 60 * SECOND, { jobsFault: { since: 0, why: "" } })).toEqual([]);
  });

  test("once", () => {
    const fleet = apply(aFleet([busy(1, { ending: ending("lost", { since: 0 }) })]));
    expect(apply(fleet).lost).toHaveLength(1);
  });
});

describe("jobs that GitHub is taken to hold back", () => {
  const beside = { sumMs: 300 * SECOND, at: NOW };

  test("one more: the next has a time of its own beside ready machines", () => {
    const fleet = apply(aFleet([], { heldBack: 1, besideReady: beside }), { heldBack: 2 });
    expect(fleet).toMatchObject({ heldBack: 2, besideReady: { sumMs: 0, at: undefined } });
  });

  test("as many or fewer: the time goes on", () => {
    expect(apply(aFleet([], { heldBack: 2, besideReady: beside }), { heldBack: 2 }).besideReady).toEqual(beside);
    expect(apply(aFleet([], { heldBack: 2, besideReady: beside }), { heldBack: 1 }).besideReady).toEqual(beside);
  });
});

describe("the clocks of renting", () => {
  test("a job waits unserved since nothing is ready or busy", () => {
    expect(apply(aFleet([booting(1)]), { wanted: 1 }).unservedSince).toBe(NOW);
    expect(apply(aFleet([booting(1)], { unservedSince: 5 }), { wanted: 1 }).unservedSince).toBe(5);
    expect(apply(aFleet([ready(1)], { unservedSince: 5 }), { wanted: 1 }).unservedSince).toBeUndefined();
    expect(apply(aFleet([], { unservedSince: 5 }), { wanted: 0 }).unservedSince).toBeUndefined();
  });

  test("no offer fits since nothing is left of the market", () => {
    const market = { searchedAt: NOW, searchAgainAt: NOW, candidates: [], times: 1 };
    expect(apply(aFleet([], { market }), { wanted: 1, lacking: 1 }).noOfferSince).toBe(NOW);
    expect(apply(aFleet([], { market, noOfferSince: 5 }), { wanted: 1, lacking: 1 }).noOfferSince).toBe(5);
  });

  test("an offer that was gone once, and is tried again, ends no search", () => {
    const taken = [51, 52, 53, 54, 55].map((id) => ({ id, at: 0, times: 1 }));
    expect(apply(aFleet([], { taken, noOfferSince: 5 }), { wanted: 1, lacking: 1 }).noOfferSince).toBe(5);
  });

  test("while the repository has no room nothing is searched: that says nothing of offers", () => {
    const own = busy(1, { candidate: aCandidate(51) });
    const market = { searchedAt: 0, searchAgainAt: 0, candidates: [aCandidate(51)], times: 0 };
    const fleet = aFleet([own], { market, noOfferSince: NOW - 9 * 60 * SECOND });
    const lacking = { wanted: 1, lacking: 1 };
    expect(apply(fleet, { ...lacking, waitsFor: "repository" }).noOfferSince).toBeUndefined();
    expect(apply(fleet, { ...lacking, waitsFor: "pause" }).noOfferSince).toBe(NOW);
  });

  test("nor while no list of instances can be read; one that got lost is none of that", () => {
    const market = { searchedAt: 0, searchAgainAt: 0, candidates: [], times: 1 };
    const since = (listedAgo: number) =>
      apply(aFleet([], { market, noOfferSince: 5, instancesAt: NOW - listedAgo }), { wanted: 1, lacking: 1 })
        .noOfferSince;
    expect(since(61 * SECOND)).toBeUndefined();
    expect(since(60 * SECOND)).toBe(5);
  });

  test("they begin anew when no machine is lacking", () => {
    const market = { searchedAt: NOW, searchAgainAt: NOW, candidates: [], times: 1 };
    const refusal = { by: "request", error: () => new UserError("No.") } as const;
    const fleet = apply(aFleet([booting(1)], { market, refusal, noOfferSince: 5 }), { wanted: 1, lacking: 0 });
    expect(fleet).toMatchObject({ noOfferSince: undefined, refusal: undefined });
  });

  test("a list that can't be read starts none of them anew", () => {
    const refusal = { by: "request", error: () => new UserError("No.") } as const;
    const clocks = { refusal, noOfferSince: 5, unservedSince: 5 };
    const fleet = apply(aFleet([], { ...clocks, jobsFault: { since: 0, why: "" } }), { wanted: 0, lacking: 0 });
    expect(fleet).toMatchObject(clocks);
  });

  test("the most that was wanted at a time is remembered", () => {
    expect(apply(aFleet([], { mostWanted: 2 }), { wanted: 3 }).mostWanted).toBe(3);
    expect(apply(aFleet([], { mostWanted: 4, jobs: gpuJobs({}) }), { wanted: 3 }).mostWanted).toBe(4);
  });

  test("not while the jobs can't be read: all that is free counts as wanted then", () => {
    const jobsFault = { since: NOW, why: "403" };
    expect(apply(aFleet([], { mostWanted: 1, jobsFault }), { wanted: 4 }).mostWanted).toBe(1);
  });
});
