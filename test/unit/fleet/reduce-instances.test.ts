import { describe, expect, test } from "vitest";
import { recordsOf, recordsOfMachine, rowOf } from "../../../src/fleet/recording/records.ts";
import { reduce } from "../../../src/fleet/reduce.ts";
import { failuresOf } from "../../../src/fleet/renting/failures.ts";
import { pausedOf } from "../../../src/fleet/renting/standing.ts";
import type { FleetState, ListedInstance, StoredInstance, StoredMachine } from "../../../src/fleet/state.ts";
import {
  aFleet,
  anEnding,
  booting,
  busy,
  NOW,
  ready,
  starting,
  UNCERTAIN,
  unmade,
  withSlot,
} from "../support/a-fleet.ts";
import { decided } from "../support/decide-now.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const LOOK = 15 * SECOND;
const ago = (seconds: number) => NOW - seconds * SECOND;
const LOADING = { kind: "pending", status: "loading" } as const;
const RUNS = { kind: "running", status: "running" } as const;
const EXITED = { kind: "failed", status: "exited", why: "it is exited", blame: "machine" } as const;

type Row = Partial<ListedInstance>;

/** The list shows these, and the service says of these ids that there is none. Without more it is the first machine's. */
function listed(fleet: FleetState, rows: Row[], { gone = [], at = NOW }: { gone?: number[]; at?: number } = {}) {
  const instances = rows.map((given): ListedInstance => {
    return { id: 701, machineNo: 1, verdict: LOADING, isSilent: false, address: {}, ...given };
  });
  const repositoryAlive = rows.length;
  reduce(fleet, { kind: "InstancesListed", askedAt: at, at, instances, gone, repositoryAlive, aheadMs: -3000 });
  return fleet;
}

/** The first machine's instance once the list showed it so, or said that there is none. */
function seen(machine: StoredMachine, given: Row | "gone", fleet: Partial<FleetState> = {}): StoredInstance {
  const before = aFleet([machine], fleet);
  const after = given === "gone" ? listed(before, [], { gone: [701] }) : listed(before, [given]);
  return after.machines[0]?.instances[0] as StoredInstance;
}

test("the list is counted, with how many machines it shows; one of ours that is fresh counts though it lacks that", () => {
  const shown = listed(aFleet([booting(1)], { instancesAt: 0 }), [{}]);
  expect(shown).toMatchObject({ instancesAt: NOW, repositoryAlive: 1, aheadMs: -3000 });
  const fresh = aFleet([booting(1, { verdict: undefined, foundAt: ago(1) })]);
  expect(listed(fresh, [{ id: 5, machineNo: 9 }]).repositoryAlive).toBe(2);
});

const { askedAt } = booting(1);
const stopped = { how: "was stopped by the service", at: ago(300) } as const;
const since20 = { runningAt: ago(20), billedFrom: ago(20), lastRunningAt: NOW };

test.each<[string, StoredMachine, Row, Partial<StoredInstance>, Partial<FleetState>?]>([
  [
    "running: since the middle of two looks for the bill, since this one for its limits",
    booting(1),
    { verdict: RUNS },
    { runningAt: NOW, billedFrom: ago(5), lastRunningAt: NOW },
    { instancesAt: ago(10) },
  ],
  ["running on: the first look counts", starting(1), { verdict: RUNS }, since20],
  [
    "no proof that it runs while it is being destroyed",
    starting(1, { lastRunningAt: ago(60), isDestroying: true }),
    { verdict: RUNS },
    { lastRunningAt: ago(60) },
  ],
  ["booting", booting(1), { verdict: LOADING }, { verdict: LOADING, brokenSince: undefined }],
  ["exited: since now", booting(1), { verdict: EXITED }, { verdict: EXITED, brokenSince: NOW }],
  ["exited since before", booting(1, { brokenSince: 5 }), { verdict: EXITED }, { brokenSince: 5 }],
  [
    "exited, and silent before",
    booting(1, { brokenSince: 5, isSilent: true }),
    { verdict: EXITED },
    { brokenSince: NOW },
  ],
  ["exited no more", booting(1, { brokenSince: 5 }), { verdict: LOADING }, { brokenSince: undefined }],
  ["given back: its word of the end holds", busy(1, { stopped, isDestroying: true }), { verdict: RUNS }, { stopped }],
  ["stopped, and exited: the same", busy(1, { stopped }), { verdict: EXITED }, { stopped }],
  ["back: no longer absent", ready(1, { absentSince: 0 }), { verdict: RUNS }, { absentSince: undefined, aliveAt: NOW }],
  ["made between request and answer: it bills", booting(1), { startedAt: askedAt + 500 }, { createdAt: askedAt + 500 }],
  ["made before our request, as it says: not believed", booting(1), { startedAt: askedAt - 1 }, { createdAt: ago(60) }],
  ["made after its answer, as it says: not believed", booting(1), { startedAt: NOW }, { createdAt: ago(60) }],
  ["turned up late: it bills since it was made", unmade(1, UNCERTAIN), { startedAt: ago(10) }, { createdAt: ago(10) }],
  ["the same, made before our request", unmade(1, UNCERTAIN), { startedAt: askedAt - SECOND }, { createdAt: askedAt }],
  ["the same, made after this list", unmade(1, UNCERTAIN), { startedAt: NOW + SECOND }, { createdAt: askedAt }],
])("a machine that is listed: %s", (_what, machine, row, expected, fleet) => {
  expect(seen(machine, row, fleet)).toMatchObject(expected);
});

test("the service's word that it outbid the machine holds until a list that is surely newer shows it running", () => {
  const outbid = { kind: "failed", status: "stopped", why: "outbid", blame: "machine", outbid: true } as const;
  const fleet = listed(aFleet([busy(1)]), [{ verdict: outbid }]);
  const runsAfter = (seconds: number) =>
    listed(fleet, [{ verdict: RUNS }], { at: NOW + seconds * SECOND }).machines[0]?.instances[0]?.stopped;
  expect(runsAfter(90)).toEqual({ how: "was outbid", at: NOW });
  expect(runsAfter(91)).toBeUndefined();
});

test.each<[string, StoredMachine, Row, object]>([
  ["it is back", ready(1, { absentSince: 0 }), { verdict: RUNS }, { last: "ready", at: { gone: undefined } }],
  ["it is back, and was never ready", booting(1, { absentSince: 0 }), {}, { last: "created" }],
  ["its price has not risen", booting(1), { usdPerHour: 0.4 }, { price: { total: 0.4 } }],
  ["by less than is told apart", booting(1), { usdPerHour: 0.401 }, { price: { total: 0.4 } }],
  ["its price has risen", booting(1), { usdPerHour: 0.9 }, { price: { total: 0.9 } }],
  ["its price fell: not believed", booting(1), { usdPerHour: 0.1 }, { price: { total: 0.4 } }],
  [
    "it turned up late: its bill, and its most is set aside from max-cost",
    unmade(1, UNCERTAIN),
    {},
    { instanceId: 701, price: { total: 0.4 }, estimate: { most: 0.9 }, at: { asked: askedAt } },
  ],
])("its record: %s", (_what, machine, row, expected) => {
  expect(recordsOf(listed(aFleet([machine]), [row]))).toMatchObject([expected]);
});

test("its traffic only grows", () => {
  const fleet = aFleet([booting(1)]);
  const traffic = (downGb: number, at: number) =>
    listed(fleet, [{ traffic: { downGb, upGb: 0.5 } }], { at }).machines[0]?.instances[0]?.traffic?.downGb;
  expect([traffic(2, NOW), traffic(1, NOW + 1), traffic(3, NOW + 2)]).toEqual([2, 2, 3]);
});

describe("absence is proof only when the service says so by its id", () => {
  test.each([
    ["a minute", booting, MINUTE, undefined],
    ["not longer", booting, MINUTE + 1, NOW],
    ["ready", ready, 36 * SECOND, undefined],
    ["busy", busy, 36 * SECOND, undefined],
  ])("a fresh one that no list showed may be unknown for a minute: %s", (_what, make, ms, expected) => {
    expect(seen(make(1, { verdict: undefined, foundAt: NOW - ms }), "gone").absentSince).toBe(expected);
  });

  test("for the bill it went in the middle between its last sign of life and the look that lacks it", () => {
    const fleet = listed(aFleet([ready(1)]), [{ verdict: RUNS }], { at: ago(20) });
    for (const at of [NOW, NOW + LOOK]) listed(fleet, [], { gone: [701], at });
    expect(recordsOf(fleet)).toMatchObject([{ at: { gone: ago(10) } }]);
  });
});

test("a second instance under one label is one more instance of that machine, written down in a row of its own", () => {
  const [machine] = listed(aFleet([ready(1)]), [{ verdict: RUNS }, { id: 801 }]).machines as [StoredMachine];
  expect(machine.ending).toBeUndefined();
  // Its runner may be online there: that is noted of one of them.
  const records = recordsOfMachine(machine);
  const rows = records.map(({ at, instanceId }, index) => [rowOf(machine, index), instanceId, at.online]);
  expect(rows.flat()).toEqual([...[1, 701, ago(10)], ...[1001, 801, undefined]]);
});

describe("a machine that counted as gone and is listed", () => {
  const lost = anEnding("lost", { since: 0 });
  const gone = (goneAt: number) => busy(1, { goneAt, goneHow: "was-gone", ending: lost });

  test("90 s later is there, and bills; it is not believed before, as lists lag", () => {
    const fleet = listed(aFleet([gone(ago(90))]), [{ verdict: RUNS }]);
    expect(fleet.machines[0]?.instances[0]).toMatchObject({ goneAt: undefined, goneHow: undefined });
    expect(recordsOf(fleet)).toMatchObject([{ instanceId: 701, isGone: undefined }]);
    expect(seen(gone(ago(89)), { verdict: RUNS }).goneAt).toBe(ago(89));
  });

  test("its job that was noted as lost still runs there: neither is lost any more", () => {
    const went = { machineNo: 1, instanceId: 701, went: "vanished", cutBy: undefined } as const;
    const lost = [{ id: 101, name: "test", url: undefined, ...went }];
    const fleet = aFleet([withSlot(gone(ago(90)), { spentAt: 0 })], { lost });
    decided(listed(fleet, [{ verdict: RUNS }]));
    expect(fleet).toMatchObject({ lost: [], machines: [{ ending: undefined }] });
    expect(fleet.machines[0]?.slots[0]?.spentAt).toBeUndefined();
  });

  test.each([
    ["as it was", RUNS],
    ["as exited", EXITED],
  ])("a spare that was drained keeps its ending, %s: no failure, no exclusion, no attempt used", (_how, verdict) => {
    const drained = { runner: "gone", spentAt: ago(90), isRemoved: true } as const;
    const spare = withSlot(ready(1, { ending: anEnding("unneeded"), goneAt: ago(90) }), drained);
    const fleet = decided(listed(aFleet([spare]), [{ verdict }]));
    expect(fleet.machines[0]?.ending?.kind).toBe("unneeded");
    expect([failuresOf(fleet), pausedOf(fleet, NOW).offers]).toEqual([[], []]);
    expect(fleet.machines[0]?.instances[0]?.isDestroying).toBe(true);
  });
});
