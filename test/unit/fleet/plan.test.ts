import { describe, expect, test } from "vitest";
import { applyPlan } from "../../../src/fleet/apply.ts";
import type { FleetOptions } from "../../../src/fleet/options.ts";
import { plan } from "../../../src/fleet/plan/plan.ts";
import type { Machine } from "../../../src/fleet/state/machine.ts";
import type { Fleet } from "../../../src/fleet/state.ts";
import {
  aCandidate,
  aFleet,
  aPolicy,
  asked,
  booting,
  busy,
  gpuJob,
  gpuJobs,
  NOW,
  nextUse,
  ready,
  spent,
} from "../support/a-fleet.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** Acts in short: `create 51`, `give-up 1`. */
function acts(fleet: Fleet, policy: Partial<FleetOptions> = {}, now = NOW): string[] {
  return plan(fleet, aPolicy(policy), now).acts.map((act) =>
    `${act.do} ${act.do === "create" ? act.candidate.offer.id : "n" in act ? act.n : ""}`.trim(),
  );
}

/** The lists were read again so much later, and say the same. */
function later(fleet: Fleet, ms: number, policy: Partial<FleetOptions> = {}): Fleet {
  const decided = plan(fleet, aPolicy(policy), NOW);
  applyPlan(fleet, decided, aPolicy(policy), NOW);
  fleet.looks = { jobs: NOW + ms, instances: NOW + ms };
  fleet.instancesAt = NOW + ms;
  return fleet;
}

describe("what costs a machine or a job needs two looks, 15 s apart", () => {
  const lost = () => aFleet([busy(1, { absentSince: NOW })], { jobs: gpuJobs({ running: 1 }) });

  test("seen once: nothing is done", () => {
    expect(acts(lost())).toEqual([]);
  });

  test("seen again 15 s later: done", () => {
    expect(acts(later(lost(), 15 * SECOND), {}, NOW + 15 * SECOND)).toEqual(["destroy 1"]);
  });

  test("sooner: not yet", () => {
    expect(acts(later(lost(), 13 * SECOND), {}, NOW + 60 * SECOND)).toEqual([]);
  });

  test("all jobs are over: what is still on its way is told as not needed, for the bill", () => {
    const fleet = later(aFleet([spent(1), booting(2)], { jobs: gpuJobs({ over: 1 }) }), 15 * SECOND);
    // The first one went just now, by one list: that doubt keeps nothing from being told.
    Object.assign(fleet.machines[0] as Machine, { ending: undefined, absentSince: NOW + 15 * SECOND });
    const decided = plan(fleet, aPolicy(), NOW + 15 * SECOND);
    expect(decided.end?.kind).toBe("over");
    expect(decided.endings).toMatchObject([{ n: 2, ending: { kind: "unneeded" } }]);
  });

  test("the list was not read again: not yet", () => {
    const fleet = later(lost(), 15 * SECOND);
    fleet.looks = { ...fleet.looks, instances: NOW };
    expect(acts(fleet, {}, NOW + 60 * SECOND)).toEqual([]);
  });

  test("it was seen well in between: forgotten", () => {
    const fleet = later(lost(), 15 * SECOND);
    const machine = fleet.machines[0] as Machine;
    machine.absentSince = undefined;
    applyPlan(fleet, plan(fleet, aPolicy(), NOW + 10 * SECOND), aPolicy(), NOW + 10 * SECOND);
    machine.absentSince = NOW + 15 * SECOND;
    expect(acts(fleet, {}, NOW + 15 * SECOND)).toEqual([]);
  });

  test("the service's own word about one that was never ready needs one", () => {
    const failed = { kind: "failed", status: "created", why: "no space left on device", blame: "machine" } as const;
    expect(acts(aFleet([booting(1, { verdict: failed })]))).toEqual(["give-up 1"]);
  });

  test("its deadline needs none", () => {
    expect(acts(aFleet([busy(1, { deadline: NOW })], { jobs: gpuJobs({ running: 1 }) }))).toEqual(["destroy 1"]);
  });
});

describe("free and not wanted", () => {
  const over = (machines: Machine[]) => aFleet(machines, { jobs: gpuJobs({ over: 1, held: 1 }) });

  test("given up, after a second look", () => {
    expect(acts(over([ready(1)]))).toEqual([]);
    expect(acts(later(over([ready(1)]), 15 * SECOND), {}, NOW + 15 * SECOND)).toEqual(["give-up 1"]);
  });

  test.each([
    ["not while another free one is in doubt, even once", ready(2), []],
    ["whatever is in doubt of a busy one: its job waits for none of them", busy(2), ["give-up 1"]],
  ])("%s", (_words, other, expected) => {
    const fleet = later(over([ready(1), other]), 15 * SECOND);
    (fleet.machines[1] as Machine).absentSince = NOW + 15 * SECOND;
    expect(acts(fleet, {}, NOW + 15 * SECOND)).toEqual(expected);
  });

  test("a create that has not answered can't be given up yet", () => {
    expect(acts(later(over([asked(1)]), 15 * SECOND), {}, NOW + 15 * SECOND)).toEqual([]);
  });
});

describe("machines that end", () => {
  const ending = { kind: "failed", why: "no", isUnasked: false, since: NOW } as const;

  test("no answer: asked again when it is time, not before", () => {
    expect(acts(aFleet([ready(1, { ending, askAgainAt: NOW + 1 })]))).toEqual([]);
    expect(acts(aFleet([ready(1, { ending, askAgainAt: NOW })]))).toEqual(["give-up 1"]);
  });

  test("one act a machine", () => {
    expect(acts(aFleet([ready(1, { ending, act: "giving-up" })]))).toEqual([]);
  });

  test("at its deadline it is destroyed unasked, whatever was tried before", () => {
    expect(acts(aFleet([ready(1, { ending, deadline: NOW })]))).toEqual(["destroy 1"]);
  });

  test("kept for a look: the runners that no job may come to go at once, the machine when its look is over", () => {
    const keep = { keepFailedMs: 15 * MINUTE };
    const failed = spent(1);
    const [use] = failed.uses;
    if (use?.job) use.job.hasFailed = true;
    failed.uses = [...failed.uses, nextUse(1)];
    const fleet = aFleet([failed], { jobs: gpuJobs({ over: 1, waiting: 1 }) });
    expect(acts(fleet, keep)).toEqual(["retire 1", "create 51"]);
    applyPlan(fleet, plan(fleet, aPolicy(keep), NOW), aPolicy(keep), NOW);
    for (const each of failed.uses) each.spentAt ??= NOW;
    expect(acts(fleet, keep, NOW + 15 * MINUTE + 49 * SECOND)).not.toContain("give-up 1");
    expect(acts(fleet, keep, NOW + 15 * MINUTE + 50 * SECOND)).toContain("give-up 1");
  });

  test("one that is over has 60 s to give itself back", () => {
    const fleet = aFleet([spent(1)], { jobs: gpuJobs({ running: 1 }) });
    applyPlan(fleet, plan(fleet, aPolicy(), NOW), aPolicy(), NOW);
    expect(acts(fleet, {}, NOW + 49 * SECOND)).toEqual([]);
    expect(acts(fleet, {}, NOW + 50 * SECOND)).toEqual(["destroy 1"]);
  });
});

describe("renting", () => {
  const taken = (id: number, ago = 0, times = 1) => ({ id, at: NOW - ago, times });
  const waits = (machines: Machine[] = [], given: Partial<Fleet> = {}) =>
    aFleet(machines, { jobs: gpuJobs({ waiting: 2 }), ...given });

  test("the best offer that is left", () => {
    expect(acts(waits())).toEqual(["create 51"]);
    expect(acts(waits([], { taken: [taken(51)] }))).toEqual(["create 52"]);
    expect(acts(waits([], { excluded: { machines: [5100], offers: [] } }))).toEqual(["create 52"]);
  });

  test("one that somebody else had is asked for again after 5 minutes, then after three times as long", () => {
    const again = (ago: number, times: number) => acts(waits([], { taken: [taken(51, ago, times)] }))[0];
    expect(again(5 * MINUTE - 1, 1)).toBe("create 52");
    expect(again(5 * MINUTE, 1)).toBe("create 51");
    expect(again(15 * MINUTE - 1, 2)).toBe("create 52");
    expect(again(15 * MINUTE, 2)).toBe("create 51");
  });

  test("another host than those that are alive, if there is one", () => {
    const fleet = waits([booting(1)]);
    (fleet.machines[0] as Machine).candidate.offer.machineId = 5100;
    expect(acts(fleet)).toEqual(["create 52"]);
    fleet.taken = [52, 53, 54, 55].map((id) => taken(id));
    expect(acts(fleet)).toEqual(["create 51"]);
  });

  describe("a machine fails in this very look", () => {
    const failed = { kind: "failed", status: "exited", why: "exited", blame: "machine" } as const;
    const waiting = { jobs: gpuJobs({ waiting: 1 }) };
    const fails = (n = 1) => booting(n, { verdict: failed });

    test("another one is rented at once", () => {
      expect(acts(aFleet([fails()], waiting))).toEqual(["give-up 1", "create 51"]);
    });

    test("not when `attempts` are used up by it", () => {
      expect(acts(aFleet([fails()], waiting), { attempts: 1 })).toEqual(["give-up 1"]);
    });

    test("not where it is the second one that can't pull the image", () => {
      const image = { verdict: { ...failed, blame: "image" } } as const;
      const one = booting(1, {
        ...image,
        ending: { ...failed, kind: "failed", blame: "image", isUnasked: false, since: 0 },
      });
      const fleet = aFleet([{ ...one, goneAt: 0 }, booting(2, image)], { ...waiting, failedSinceJob: [1] });
      expect(acts(fleet)).toEqual(["give-up 2"]);
    });

    test("never its own host again", () => {
      const market = { searchedAt: NOW, searchAgainAt: NOW, candidates: [aCandidate(99, 100)], times: 0 };
      expect(acts(aFleet([fails()], { ...waiting, market }))).not.toContain("create 99");
    });
  });

  test("one create in flight", () => {
    expect(acts(waits([asked(1)]))).toEqual([]);
  });

  test("a search where nothing is known, or what is known is a minute old", () => {
    expect(acts(waits([], { market: undefined }))).toEqual(["search"]);
    const market = waits().market as NonNullable<Fleet["market"]>;
    expect(acts(waits([], { market: { ...market, searchedAt: NOW - 59 * SECOND } }))).toEqual(["create 51"]);
    expect(acts(waits([], { market: { ...market, searchedAt: NOW - 60 * SECOND } }))).toEqual(["search"]);
  });

  test("not before its pause is over, where nothing fits", () => {
    const market = { searchedAt: NOW, searchAgainAt: NOW + 15 * SECOND, candidates: [], times: 1 };
    expect(acts(waits([], { market }))).toEqual([]);
    expect(acts(waits([], { market: { ...market, searchAgainAt: NOW } }))).toEqual(["search"]);
  });

  test("while no list can be read nothing is created", () => {
    expect(acts(waits([], { instancesAt: undefined }))).toEqual([]);
    expect(acts(waits([], { instancesAt: NOW - 16 * SECOND }))).toEqual([]);
  });

  test("after an answer 429 it waits", () => {
    const decided = plan(waits([], { pause: { until: NOW + 1, times: 1 } }), aPolicy(), NOW);
    expect(decided).toMatchObject({ acts: [], waitsFor: "pause" });
  });

  test("as many as machines-per-repository allows are alive: it waits", () => {
    expect(plan(waits([], { repositoryAlive: 8 }), aPolicy(), NOW)).toMatchObject({ acts: [], waitsFor: "repository" });
    expect(acts(waits([], { repositoryAlive: 7 }))).toEqual(["create 51"]);
  });

  test("never more than `machines`, those that are given up included", () => {
    const ending = { kind: "failed", why: "no", isUnasked: false, since: NOW } as const;
    const four = [1, 2, 3, 4].map((n) => booting(n, { ending, act: "giving-up" }));
    expect(acts(waits(four))).toEqual([]);
  });

  test("no offer fits for search-timeout: searched on, as long as it goes on for other machines", () => {
    const market = { searchedAt: NOW, searchAgainAt: NOW, candidates: [], times: 9 };
    const given = { jobs: gpuJobs({ waiting: 1, running: 1 }), noOfferSince: NOW - 30 * MINUTE };
    expect(acts(aFleet([busy(1)], { ...given, market }))).toEqual(["search"]);
    expect(acts(aFleet([busy(1)], given))).toEqual(["create 51"]);
  });

  describe("a machine is past its limits, and is kept while no other offer is to be had", () => {
    const slow = booting(1, { createdAt: NOW - 20 * MINUTE, timing: { ...booting(1).timing, mayWait: true } });
    const fleet = (searchedAgo: number, given: Partial<NonNullable<Fleet["market"]>> = {}) => {
      const market = { searchedAt: NOW - searchedAgo, searchAgainAt: NOW, candidates: [aCandidate(51)], times: 0 };
      return waits([slow], { market: { ...market, ...given }, unservedSince: NOW - 20 * MINUTE });
    };
    const one = { machines: 1 };

    test("the market was asked within a minute: that answer counts", () => {
      expect(acts(fleet(59 * SECOND), one)).toEqual(["give-up 1"]);
    });

    test("longer ago: it is asked again, and the machine is kept until it answers", () => {
      expect(acts(fleet(60 * SECOND), one)).toEqual(["search"]);
      expect(acts({ ...fleet(0), market: undefined }, one)).toEqual(["search"]);
    });

    test("not before its pause is over, where nothing fits", () => {
      const nothing = { candidates: [], times: 3 };
      expect(acts(fleet(60 * SECOND, { ...nothing, searchAgainAt: NOW + 1 }), one)).toEqual([]);
      expect(acts(fleet(60 * SECOND, nothing), one)).toEqual(["search"]);
    });

    test("its job has waited for ready-timeout: nothing is asked", () => {
      expect(acts({ ...fleet(60 * SECOND), unservedSince: NOW - 25 * MINUTE }, one)).toEqual(["give-up 1"]);
    });
  });

  test("not when it has stopped", () => {
    const decided = plan(waits([], { unservedSince: NOW - 25 * MINUTE }), aPolicy(), NOW);
    expect(decided).toMatchObject({ acts: [], stop: { kind: "ready-timeout" } });
  });
});

describe("held back", () => {
  const beside = (ms: number, counts: Parameters<typeof gpuJobs>[0], given: Partial<Fleet> = {}) =>
    plan(
      aFleet([ready(1), busy(2)], { jobs: gpuJobs(counts), besideReady: { sumMs: ms, at: NOW }, ...given }),
      aPolicy(),
      NOW,
    ).heldBack;

  test("jobs that waited beside ready machines for idle-timeout, while one is in progress", () => {
    expect(beside(5 * MINUTE - 1, { waiting: 2, running: 1 })).toBe(0);
    expect(beside(5 * MINUTE, { waiting: 2, running: 1 })).toBe(2);
  });

  test("one that is queued later has a machine, for an idle-timeout of its own", () => {
    const fleet = aFleet([ready(1), busy(2)], {
      jobs: gpuJobs({ waiting: 1, running: 1 }),
      besideReady: { sumMs: 5 * MINUTE, at: NOW },
    });
    applyPlan(fleet, plan(fleet, aPolicy(), NOW), aPolicy(), NOW);
    expect(fleet.heldBack).toBe(1);
    fleet.machines = [busy(2)];
    fleet.jobs = gpuJobs({ waiting: 2, running: 1 });
    const decided = plan(fleet, aPolicy(), NOW);
    expect(decided).toMatchObject({ heldBack: 1, lacking: 1 });
  });

  test("one of them runs by now, though none has ended: no later one takes its place", () => {
    expect(beside(0, { running: 2 }, { heldBack: 1 })).toBe(0);
    expect(beside(0, { waiting: 1, running: 2 }, { heldBack: 2 })).toBe(1);
  });

  test("none is in progress: one of them may come now", () => {
    expect(beside(60 * MINUTE, { waiting: 2 }, { heldBack: 2 })).toBe(1);
    expect(beside(0, { waiting: 1 }, { heldBack: 1 })).toBe(0);
  });

  test("one that was lost with its machine is not in progress", () => {
    const lost = [
      { id: 101, name: "test 1", url: undefined, n: 2, instanceId: 702, went: "vanished" as const, cutBy: undefined },
    ];
    expect(beside(60 * MINUTE, { waiting: 1, running: 1 }, { heldBack: 1, lost })).toBe(0);
  });

  test("a list that can't be read says nothing new", () => {
    expect(beside(60 * MINUTE, { waiting: 2, running: 1 }, { heldBack: 1, jobsFault: { since: NOW, why: "" } })).toBe(
      1,
    );
  });
});

describe("the end", () => {
  test("needs two looks at the jobs, 15 s apart", () => {
    const over = () => aFleet([], { jobs: gpuJobs({ over: 1 }) });
    expect(plan(over(), aPolicy(), NOW).end).toBeUndefined();
    expect(plan(later(over(), 15 * SECOND), aPolicy(), NOW + 15 * SECOND).end?.kind).toBe("over");
  });

  test("two looks that say the same of each job, of those that ask for more labels, too", () => {
    const asksForMore = gpuJob(102, "waiting", { otherLabels: ["self-hosted"] });
    const both = gpuJobs({}, { ours: [gpuJob(101, "over"), asksForMore] });
    const fleet = later(aFleet([], { jobs: both }), 15 * SECOND);
    expect(plan(fleet, aPolicy(), NOW + 15 * SECOND).end?.kind).toBe("over");
    fleet.jobs = gpuJobs({ over: 1 });
    expect(plan(fleet, aPolicy(), NOW + 15 * SECOND).end).toBeUndefined();
  });

  test("of a list that can't be read needs none", () => {
    const fleet = aFleet([], { jobsFault: { since: NOW - 10 * MINUTE, why: "no" } });
    expect(plan(fleet, aPolicy(), NOW).end?.kind).toBe("unreadable");
  });
});

test("the same fleet is planned in the same way, and is not changed", () => {
  const fleet = aFleet([ready(1), busy(2), booting(3)], { jobs: gpuJobs({ waiting: 3, running: 1 }) });
  const before = structuredClone(fleet);
  expect(plan(fleet, aPolicy(), NOW)).toEqual(plan(before, aPolicy(), NOW));
  expect(fleet).toEqual(before);
});
