import { describe, expect, test } from "vitest";
import type { Ledger, MainEnd } from "../../../src/release/ledger.ts";
import { costOf, mainMachine, sessionReport } from "../../../src/report/session-report.ts";
import { aFailedRecord, aRecord, START } from "../support/a-session-report.ts";
import { anInstance } from "../support/an-instance.ts";

const NOTHING = { destroyed: [], undestroyed: [], goneAt: new Map(), shown: [] };
const AROUND = { jobs: undefined, jobStatus: "success" };

function aLedger(given: Partial<Ledger> = {}): Ledger {
  const empty = { runners: new Map(), pending: new Map(), created: new Map(), reports: new Map() };
  return { sessionId: "abcdef", prefix: "p", ...empty, cancelRun: false, forged: [], claimed: [], known: [], ...given };
}

test("what post itself destroyed was there until now, whatever main had seen", () => {
  const reports = new Map([[1, aRecord({ last: "ready" })]]);
  const report = sessionReport(
    aLedger({ reports }),
    { ...NOTHING, destroyed: [7001001], goneAt: new Map([[7001001, START + 7_200_000]]) },
    AROUND,
    START + 7_200_000,
  );
  expect(report.machines[0]?.record).toMatchObject({
    at: { gone: START + 7_200_000 },
    last: "destroyed by post (ready)",
  });
  expect(costOf(report).total).toBeGreaterThan(1);
});

test.each([
  ["ready", "gave itself back"],
  ["created", "gave itself back (created)"],
])("what post found gone gave itself back, when main had last seen it %s", (last, words) => {
  const at = { asked: START, created: START };
  const reports = new Map([[1, aRecord({ last, at })]]);
  expect(sessionReport(aLedger({ reports }), NOTHING, AROUND, START).machines[0]?.record).toMatchObject({
    at,
    last: words,
  });
  const inDoubt = { ...NOTHING, undestroyed: ["instance 7001001"] };
  expect(sessionReport(aLedger({ reports }), inDoubt, AROUND, START).machines[0]?.record.last).toBe(last);
});

test("what was seen to be gone bills no longer, whatever else could not be destroyed", () => {
  const reports = new Map([
    [1, aRecord({ last: "ready", at: { asked: START, created: START }, deadline: START + 60_000 })],
  ]);
  const used = { ...NOTHING, undestroyed: ["instance 9"], goneAt: new Map([[7001001, START + 7_200_000]]) };
  const [machine] = sessionReport(aLedger({ reports }), used, AROUND, START + 7_200_000).machines;
  expect(machine?.record).toMatchObject({ at: { gone: START + 75_000 }, last: "gave itself back" });
});

test("an instance that the service also named for another create is one machine, at one cost", () => {
  const [record, again] = [aRecord({ jobs: [{ name: "test" }] }), aRecord({ last: "created" })];
  const reports = new Map([
    [1, record],
    [2, again],
    [3, aFailedRecord()],
  ]);
  const { machines } = sessionReport(aLedger({ reports }), NOTHING, AROUND, START);
  expect(machines.map(({ machineNo }) => machineNo)).toEqual([1, 3]);
});

test("traffic of a job after main was over is what post's own list shows", () => {
  const price = { total: 0.6, storage: 0, inetDown: 0.02 };
  const written = aRecord({ price, traffic: { downGb: 4, upGb: 0 } });
  const shown = [{ id: 7001001, inet_down_billed: 50e6 }, { id: 7001001 }].map((row) => anInstance(row));
  const report = sessionReport(aLedger({ reports: new Map([[1, written]]) }), { ...NOTHING, shown }, AROUND, START);
  expect(costOf(report).bytes).toBeCloseTo(1, 10);
  expect(written.traffic?.downGb).toBe(4);
});

test("a create of which nothing is written down is uncertain, one that surely made nothing is not", () => {
  const pending = new Map([[1, "p.1.1"]]);
  const created = new Map([[1, "none" as const]]);
  expect(sessionReport(aLedger({ pending }), NOTHING, AROUND, START).isUncertain).toBe(true);
  expect(sessionReport(aLedger({ pending, created }), NOTHING, AROUND, START).isUncertain).toBe(false);
});

describe("offers that were gone", () => {
  const created = new Map<number, number | "none">([
    [1, "none"],
    [2, 7],
    [3, "none"],
  ]);
  const ends: [string, MainEnd | undefined, number][] = [
    ["as main counted them", { kind: "over", taken: 1 }, 1],
    ["also when it failed", { kind: "failed", what: "no-machine", message: "No.", taken: 1 }, 1],
    ["all that surely made nothing, when main was killed", undefined, 2],
  ];

  test.each(ends)("%s", (_what, end, taken) => {
    expect(sessionReport(aLedger({ created, end }), NOTHING, AROUND, START).taken).toBe(taken);
  });
});

test("the machine that counts is the one that a job ran on, whichever was online last", () => {
  const ran = aRecord({ instanceId: 7, jobs: [{ name: "test" }] });
  const spare = aRecord({ instanceId: 8, isUnneeded: true });
  expect(mainMachine([ran, spare].map((record, machineNo) => ({ machineNo, record })))?.record.instanceId).toBe(7);
});

test("where no job ran it is the last one whose runner was online", () => {
  const main = (...reports: ReturnType<typeof aRecord>[]) =>
    mainMachine(reports.map((record, index) => ({ machineNo: index, record })))?.record.instanceId;
  expect(main(aRecord(), aFailedRecord())).toBe(7001001);
  expect(main(aFailedRecord(), aFailedRecord({ instanceId: 5 }))).toBe(5);
  expect(main()).toBeUndefined();
});
