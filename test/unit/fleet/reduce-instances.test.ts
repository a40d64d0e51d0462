import { describe, expect, test } from "vitest";
import type { ListedInstance } from "../../../src/fleet/events.ts";
import { recordsOf, recordsOfMachine, rowOf } from "../../../src/fleet/recording/records.ts";
import { reduce } from "../../../src/fleet/reduce.ts";
import { failuresOf } from "../../../src/fleet/renting/failures.ts";
import { pausedOf } from "../../../src/fleet/renting/standing.ts";
import type { FleetState, StoredInstance, StoredMachine } from "../../../src/fleet/state.ts";
import {
  aFleet,
  anEnding,
  booting,
  busy,
  gpuJobs,
  NOW,
  ready,
  refused,
  spent,
  starting,
  UNCERTAIN,
  unmade,
  withSlot,
} from "../support/a-fleet.ts";
import { decided, decideNow, later } from "../support/decide-now.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const LOOK = 15 * SECOND;
const LOADING = { kind: "pending", status: "loading" } as const;
const RUNS = { kind: "running", status: "running" } as const;
const EXITED = { kind: "failed", status: "exited", why: "it is exited", blame: "machine" } as const;

/** One row of the list: the first machine's instance, but for what the test says. */
function aListed(given: Partial<ListedInstance> = {}): ListedInstance {
  return { id: 701, machineNo: 1, verdict: LOADING, isSilent: false, address: {}, ...given };
}

/** The list shows these, and the service says of these ids that there is none. */
function listed(fleet: FleetState, instances: Partial<ListedInstance>[], gone: number[] = [], at = NOW): FleetState {
  const rows = instances.map(aListed);
  reduce(fleet, { kind: "InstancesListed", askedAt: at, at, instances: rows, gone, repositoryAlive: rows.length });
  return fleet;
}

/** The first machine's instance once the list showed it so, or said that there is none. */
function seen(machine: StoredMachine, given: Partial<ListedInstance> | "gone", fleet: Partial<FleetState> = {}) {
  const before = aFleet([machine], fleet);
  const after = given === "gone" ? listed(before, [], [701]) : listed(before, [given]);
  return after.machines[0]?.instances[0] as StoredInstance;
}

describe("the list", () => {
  test("is counted, with how many machines of the repository it shows", () => {
    const fleet = aFleet([booting(1)], { instancesAt: 0 });
    reduce(fleet, {
      kind: "InstancesListed",
      askedAt: NOW,
      at: NOW,
      instances: [aListed()],
      gone: [],
      repositoryAlive: 2,
      aheadMs: -3000,
    });
    expect(fleet).toMatchObject({ instancesAt: NOW, repositoryAlive: 2, aheadMs: -3000 });
  });

  test("lacks one of ours that is fresh: it counts against machines-per-repository all the same", () => {
    const fresh = aFleet([booting(1, { verdict: undefined, foundAt: NOW - SECOND })]);
    expect(listed(fresh, [{ id: 5, machineNo: 9 }]).repositoryAlive).toBe(2);
  });
});

describe("a machine that is listed", () => {
  test("running: since the middle of two looks for the bill, since this one for its limits", () => {
    const instance = seen(booting(1), { verdict: RUNS }, { instancesAt: NOW - 10 * SECOND });
    expect(instance).toMatchObject({ runningAt: NOW, billedFrom: NOW - 5 * SECOND, lastRunningAt: NOW });
  });

  test("running on: the first look counts", () => {
    const instance = seen(starting(1), { verdict: RUNS });
    expect(instance).toMatchObject({ runningAt: NOW - 20 * SECOND, billedFrom: NOW - 20 * SECOND, lastRunningAt: NOW });
  });

  test("is no proof that it runs while it is being destroyed", () => {
    const machine = starting(1, { lastRunningAt: NOW - MINUTE, isDestroying: true });
    expect(seen(machine, { verdict: RUNS }).lastRunningAt).toBe(NOW - MINUTE);
  });

  test("its status is taken anew each time, and since when it is broken", () => {
    expect(seen(booting(1), { verdict: LOADING })).toMatchObject({ verdict: LOADING, brokenSince: undefined });
    expect(seen(booting(1), { verdict: EXITED })).toMatchObject({ verdict: EXITED, brokenSince: NOW });
    expect(seen(booting(1, { brokenSince: 5 }), { verdict: EXITED }).brokenSince).toBe(5);
    expect(seen(booting(1, { brokenSince: 5 }), { verdict: LOADING }).brokenSince).toBeUndefined();
  });

  test("the service's word that it outbid the machine holds until a list that is surely newer shows it running", () => {
    const outbid = { kind: "failed", status: "stopped", why: "outbid", blame: "machine", outbid: true } as const;
    const fleet = listed(aFleet([busy(1)]), [{ verdict: outbid }]);
    const stopped = () => fleet.machines[0]?.instances[0]?.stopped;
    expect(stopped()).toEqual({ how: "was outbid", at: NOW });
    listed(fleet, [{ verdict: RUNS }], [], NOW + 90 * SECOND);
    expect(stopped()).toEqual({ how: "was outbid", at: NOW });
    listed(fleet, [{ verdict: RUNS }], [], NOW + 91 * SECOND);
    expect(stopped()).toBeUndefined();
  });

  test("a machine that is being given back may be shown in any state: the word that ended it holds", () => {
    const stopped = { how: "was stopped by the service", at: NOW - MINUTE * 5 } as const;
    expect(seen(busy(1, { stopped, isDestroying: true }), { verdict: RUNS }).stopped).toEqual(stopped);
    expect(seen(busy(1, { stopped }), { verdict: EXITED }).stopped).toEqual(stopped);
  });

  test("it is back: its absence is forgotten, for the bill, too", () => {
    const machine = ready(1, { absentSince: 0 });
    expect(seen(machine, { verdict: RUNS })).toMatchObject({ absentSince: undefined, aliveAt: NOW });
    const fleet = listed(aFleet([machine]), [{ verdict: RUNS }]);
    expect(recordsOf(fleet)).toMatchObject([{ last: "ready", at: { gone: undefined } }]);
  });

  test("it is back, and was never ready: its record does not say that it was", () => {
    const fleet = aFleet([booting(1, { absentSince: 0 })]);
    expect(recordsOf(listed(fleet, [{}]))).toMatchObject([{ last: "created" }]);
  });

  test("what its price has risen to is believed, not what it fell to", () => {
    const price = (usdPerHour: number) => {
      const fleet = listed(aFleet([booting(1)]), [{ usdPerHour }]);
      return recordsOf(fleet)[0]?.price.total;
    };
    expect([0.4, 0.401, 0.9, 0.1].map(price)).toEqual([0.4, 0.4, 0.9, 0.4]);
  });

  test("its traffic only grows", () => {
    const fleet = aFleet([booting(1)]);
    const traffic = (downGb: number, at: number) =>
      listed(fleet, [{ traffic: { downGb, upGb: 0.5 } }], [], at).machines[0]?.instances[0]?.traffic;
    expect(traffic(2, NOW)).toEqual({ downGb: 2, upGb: 0.5 });
    expect(traffic(1, NOW + 1)).toEqual({ downGb: 2, upGb: 0.5 });
    expect(traffic(3, NOW + 2)).toEqual({ downGb: 3, upGb: 0.5 });
  });

  test("it bills since the service made it, where that lies between our request and its answer", () => {
    const created = (startedAt: number) => seen(booting(1), { startedAt }).createdAt;
    const { askedAt } = booting(1);
    expect(created(askedAt + 500)).toBe(askedAt + 500);
    expect(created(askedAt - 1)).toBe(NOW - MINUTE);
    expect(created(NOW)).toBe(NOW - MINUTE);
  });
});

describe("absence is proof only when the service says so by its id", () => {
  test("a fresh one that no list showed may be unknown for a minute, ready or not", () => {
    const fresh = (ago: number, make = booting) =>
      seen(make(1, { verdict: undefined, foundAt: NOW - ago }), "gone").absentSince;
    expect(fresh(MINUTE)).toBeUndefined();
    expect(fresh(MINUTE + 1)).toBe(NOW);
    expect(fresh(36 * SECOND, ready)).toBeUndefined();
    expect(fresh(36 * SECOND, busy)).toBeUndefined();
  });

  test("for the bill it went in the middle between its last sign of life and the look that lacks it", () => {
    const shown = listed(aFleet([ready(1)]), [{ verdict: RUNS }], [], NOW - 20 * SECOND);
    const fleet = listed(shown, [], [701]);
    expect(recordsOf(listed(fleet, [], [701], NOW + LOOK))).toMatchObject([{ at: { gone: NOW - 10 * SECOND } }]);
  });

  test("two looks 14 s apart that lack a running machine do nothing to it", () => {
    const fleet = later(listed(aFleet([busy(1)], { jobs: gpuJobs({ running: 1 }) }), []), LOOK);
    listed(fleet, [], [], NOW + LOOK);
    expect(decideNow(fleet, {}, NOW + LOOK)).toMatchObject({ commands: [], endings: [] });
  });
});

describe("what turns up late, of a create that gave no answer, or a bad one", () => {
  const { askedAt } = unmade(1, UNCERTAIN);

  test.each([
    ["gave none", UNCERTAIN],
    ["was refused", refused("rejected")],
    ["lost its offer", refused("offer-gone")],
  ])("of one that %s: a machine that nobody needs", (_what, outcome) => {
    const fleet = listed(aFleet([unmade(1, outcome)]), [{}]);
    expect(fleet.machines).toMatchObject([{ machineNo: 1, instances: [{ id: 701, foundAt: NOW }] }]);
    expect(decided(fleet).machines[0]?.ending).toMatchObject({ kind: "unneeded" });
  });

  test("its bill is written down, and its most set aside from max-cost", () => {
    const fleet = listed(aFleet([unmade(1, UNCERTAIN)]), [{}]);
    expect(recordsOf(fleet)).toMatchObject([
      { instanceId: 701, price: { total: 0.4 }, estimate: { most: 0.9 }, at: { asked: askedAt } },
    ]);
  });

  test("it bills since the service made it, where it shows that", () => {
    const created = (startedAt: number) => seen(unmade(1, UNCERTAIN), { startedAt }).createdAt;
    expect(created(NOW - 10 * SECOND)).toBe(NOW - 10 * SECOND);
    expect(created(askedAt - SECOND)).toBe(askedAt);
    expect(created(NOW + SECOND)).toBe(askedAt);
  });
});

describe("a second instance under one label, as a gateway makes that sends a create again", () => {
  const twin = { id: 801 };

  test("is one more instance of that machine, written down in a row of its own", () => {
    const fleet = listed(aFleet([ready(1)]), [{ verdict: RUNS }, twin]);
    const [machine] = fleet.machines as [StoredMachine];
    expect(machine.instances.map(({ id }) => id)).toEqual([701, 801]);
    expect(machine.ending).toBeUndefined();
    expect(recordsOfMachine(machine).map(({ instanceId }, index) => [rowOf(machine, index), instanceId])).toEqual([
      [1, 701],
      [1001, 801],
    ]);
    // Its runner may be online there: that is noted of one of them.
    expect(recordsOfMachine(machine).map(({ at }) => at.online)).toEqual([NOW - 10 * SECOND, undefined]);
  });
});

describe("a machine that counted as gone and is listed", () => {
  const lost = anEnding("lost", { since: 0 });
  const gone = (goneAt: number) => busy(1, { goneAt, goneHow: "was-gone", ending: lost });

  test("90 s later is there, and bills", () => {
    const fleet = listed(aFleet([gone(NOW - 90 * SECOND)]), [{ verdict: RUNS }]);
    expect(fleet.machines[0]?.instances[0]).toMatchObject({ goneAt: undefined, goneHow: undefined });
    expect(recordsOf(fleet)).toMatchObject([{ instanceId: 701, isGone: undefined }]);
  });

  test("is not believed before: lists lag", () => {
    const instance = seen(gone(NOW - 89 * SECOND), { verdict: RUNS });
    expect(instance.goneAt).toBe(NOW - 89 * SECOND);
  });

  test("its job that was noted as lost still runs there: neither is lost any more", () => {
    const went = { machineNo: 1, instanceId: 701, went: "vanished", cutBy: undefined } as const;
    const fleet = aFleet([withSlot(gone(NOW - 90 * SECOND), { spentAt: 0 })], {
      lost: [{ id: 101, name: "test", url: undefined, ...went }],
    });
    decided(listed(fleet, [{ verdict: RUNS }]));
    expect(fleet).toMatchObject({ lost: [], machines: [{ ending: undefined }] });
    expect(fleet.machines[0]?.slots[0]?.spentAt).toBeUndefined();
  });

  test.each([
    ["as it was", RUNS],
    ["as exited", EXITED],
  ])("a spare that was drained keeps its ending, %s: no failure, no exclusion, no attempt used", (_how, verdict) => {
    const spare = withSlot(ready(1, { ending: anEnding("unneeded"), goneAt: NOW - 90 * SECOND }), {
      runner: "gone",
      spentAt: NOW - 90 * SECOND,
      isRemoved: true,
    });
    const fleet = decided(listed(aFleet([spare]), [{ verdict }]));
    expect(fleet.machines[0]?.ending?.kind).toBe("unneeded");
    expect([failuresOf(fleet), pausedOf(fleet, NOW).offers]).toEqual([[], []]);
    expect(fleet.machines[0]?.instances[0]?.isDestroying).toBe(true);
  });

  test("one whose job is over, and which had given itself back, stays over", () => {
    const over = spent(1, { ending: anEnding("over"), goneAt: NOW - 90 * SECOND });
    expect(decided(listed(aFleet([over]), [{ verdict: EXITED }])).machines[0]?.ending?.kind).toBe("over");
  });
});
