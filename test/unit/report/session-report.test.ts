import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import type { MachineRecord } from "../../../src/machine/record.ts";
import { instanceOf } from "../../../src/marketplace/vast/translate.ts";
import type { SessionDestroyed } from "../../../src/release/destroy-session.ts";
import type { Ledger, MainEnd } from "../../../src/release/ledger.ts";
import { costOf, mainMachine, sessionReport, withFigures } from "../../../src/report/session-report.ts";
import { reportSession } from "../../../src/report/summary.ts";
import { aFailedRecord, aLedger, aRecord, NOTHING_USED, numbered, START } from "../support/a-session-report.ts";
import { anInstance } from "../support/an-instance.ts";
import { clock, freshWorld, log } from "../support/fresh-world.ts";

const ID = 7001001;
/** When post looked, two hours after the start. */
const SEEN = START + 7_200_000;
const AROUND = { jobs: undefined, jobStatus: "success" };
const seenGone = { goneAt: new Map([[ID, SEEN]]) };
const of = (ledger: Partial<Ledger>, used: Partial<SessionDestroyed> = {}) =>
  sessionReport(aLedger(ledger), { ...NOTHING_USED, ...used }, AROUND, SEEN);
const reported = (record: MachineRecord, used: Partial<SessionDestroyed> = {}) =>
  of({ reports: new Map([[1, record]]) }, used);

const fresh = { asked: START, created: START };
const READY = { last: "ready", at: fresh };
const byPost = { destroyed: [ID], ...seenGone };
const stays = { undestroyed: ["instance 9"], ...seenGone };

test.each<[string, Partial<MachineRecord>, Partial<SessionDestroyed>, number | undefined, string]>([
  ["destroyed, whatever main had seen", { last: "ready" }, byPost, SEEN, "destroyed by post (ready)"],
  ["gone, last seen without a job", { ...READY, last: "its jobs are over" }, {}, undefined, "gave itself back"],
  ["gone, last seen created", { last: "created", at: fresh }, {}, undefined, "gave itself back (created)"],
  ["in doubt", { last: "created", at: fresh }, { undestroyed: [`instance ${ID}`] }, undefined, "created"],
  // Whatever else stays: soon after its deadline.
  ["gone", { ...READY, deadline: START + 60_000 }, stays, START + 75_000, "gave itself back"],
])("how a machine ended: %s", (_what, given, used, gone, last) => {
  const record = reported(aRecord(given), used).machines[0]?.record;
  expect([record?.at.gone, record?.last]).toEqual([gone, last]);
});

test("an instance that the service also named for another create is one machine, at one cost", () => {
  const records = [aRecord({ jobs: [{ name: "test" }] }), aRecord({ last: "created" }), aFailedRecord()];
  const { machines } = of({ reports: new Map(records.map((record, index) => [index + 1, record])) });
  expect(machines.map(({ machineNo }) => machineNo)).toEqual([1, 3]);
});

test("traffic of a job after main was over is what post's own list shows", () => {
  const price = { total: 0.6, storage: 0, inetDown: 0.02 };
  const written = aRecord({ price, traffic: { downGb: 4, upGb: 0 } });
  const shown = [{ id: ID, inet_down_billed: 50e6 }, { id: ID }].map((row) => anInstance(row));
  expect(costOf(reported(written, { shown })).bytes).toBeCloseTo(1, 10);
  expect(written.traffic?.downGb).toBe(4);
});

test("a create of which nothing is written down is uncertain, one that surely made nothing is not", () => {
  const pending = new Map([[1, "p.1.1"]]);
  expect(of({ pending }).isUncertain).toBe(true);
  expect(of({ pending, created: new Map([[1, "none"]]) }).isUncertain).toBe(false);
});

test.each<[string, MainEnd | undefined, number]>([
  ["as main counted them", { kind: "over", taken: 1 }, 1],
  ["all that surely made nothing, when main was killed", undefined, 2],
])("offers that were gone: %s", (_what, end, taken) => {
  const created = new Map((["none", 7, "none"] as const).map((made, index) => [index + 1, made]));
  expect(of({ created, end }).taken).toBe(taken);
});

test("the machine that counts is the one that was online last", () => {
  expect(mainMachine(numbered([aRecord(), aFailedRecord()]))?.record.instanceId).toBe(ID);
});

const written = aRecord({ at: { asked: START, created: START + 40_000 } });
/** The record after these answers of the service, one after the other. */
const shown = (...answers: object[]) =>
  answers.map((fields) => instanceOf({ id: 7, ...fields })).reduce(withFigures, written);

test("the bill: it exists since the service's own moment, if that is between our request and its answer", () => {
  expect(shown({ start_date: START / 1000 + 2.5 }).at.created).toBe(START + 2500);
  expect(shown({ start_date: START / 1000 + 60 }).at.created).toBe(START + 40_000);
});

test("the bill: the price is what the service shows of the machine, where that is more than its offer said", () => {
  expect(shown({ dph_total: 0.9 }, { dph_total: 0.7 }).price).toEqual({ total: 0.9, storage: 0.06 });
  expect(shown({ dph_total: 0.5 }, {}).price).toEqual(written.price);
  expect(written.price.total).toBe(0.6);
});

/** GB that came down, and that went up, by two answers. */
test.each([
  ["40 MB more of one way are not worth noting", { down: [1, 1], up: [1, 1.04] }, { downGb: 1, upGb: 1 }],
  ["40 MB more of both are", { down: [1, 1.04], up: [1, 1.04] }, { downGb: 1.04, upGb: 1.04 }],
  ["it never shrinks", { down: [1.04, 0], up: [0.02, 0] }, { downGb: 1.04, upGb: 0.02 }],
])("the bill: traffic: %s", (_what, { down, up }, traffic) => {
  const answers = [0, 1].map((n) => ({ inet_down_billed: (down[n] ?? 0) * 1e6, inet_up_billed: (up[n] ?? 0) * 1e6 }));
  expect(shown(...answers).traffic).toEqual(traffic);
  expect(shown({}).traffic).toBeUndefined();
});

// What post says of it, and writes down.

freshWorld();

const HOUR = 3_600_000;

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "report-"));
  return () => rmSync(folder, { recursive: true, force: true });
});

/** The receipt as post left it. */
const receipt = () => JSON.parse(readFileSync(join(folder, "ephemeral-gpu-runner-abcdef.json"), "utf8"));

/** Reports, two hours after the start, a machine at 0.60 USD per hour that ran since then; or nothing. */
async function reporting(given: Partial<Ledger>, used: Partial<SessionDestroyed> = {}, jobStatus = "success") {
  const page = { annotate() {}, setOutput() {}, async summarize() {}, folder: () => folder };
  const around = { jobs: undefined, jobStatus };
  return await reportSession({ clock, log, page }, aLedger(given), { ...NOTHING_USED, ...used }, around);
}

async function afterTwoHours(): Promise<Pick<Ledger, "reports">> {
  const { start } = clock;
  await clock.advance(2 * HOUR);
  const at = { asked: start, created: start, running: start };
  return { reports: new Map([[1, aRecord({ price: { total: 0.6, storage: 0 }, at, last: "ready" })]]) };
}

test("what it cost is said in the log, and that nothing is rented, unless something may still bill", async () => {
  const ledger = await afterTwoHours();
  const said = async (...given: Parameters<typeof reporting>) => {
    log.lines.length = 0;
    await reporting(...given);
    return log.lines;
  };
  expect(await said({})).toEqual(["Nothing was rented."]);
  const goneAt = new Map([[7001001, clock.start + HOUR / 2]]);
  expect((await said(ledger, { destroyed: [7001001], goneAt }))[0]).toBe(
    "Nothing is rented any more. It cost about 0.30 USD: 0.30 for machines, traffic not counted. What this step cost on its own runner is not known.",
  );
  const [unknown] = await said({}, { destroyed: [8] });
  expect(unknown).toMatch(/^Nothing is rented any more\. What instance 8 cost is not known: /);
  expect((await said(ledger, { undestroyed: ["instance 7001001"] }))[0]).toMatch(/^It cost about 1\.20 USD: /);
});

test("the last receipt is of the same moment as the summary and the log, however long the report takes", async () => {
  const ledger = await afterTwoHours();
  const now = clock.now.bind(clock);
  let looks = 0;
  clock.now = () => now() + HOUR * looks++;
  const context = { startedAt: clock.start, runnerLabel: "gpu-2-1", maxCost: 5 };
  const mayStillBill = ["instance 7001001"];
  await reporting({ ...ledger, context }, { undestroyed: mayStillBill });
  expect(receipt()).toMatchObject({
    ...{ version: 1, state: "ended", runnerLabel: "gpu-2-1", maxCost: 5, actual: { total: 1.2 } },
    ...{ holder: { minutes: 120, usdPerMinute: 0.006 }, mayStillBill },
  });
  expect(log.lines[0]).toContain("This step took 120 min on its own runner: 0.72 USD in a private repository.");
});

test("a last receipt that can't be written is only logged", async () => {
  rmSync(folder, { recursive: true });
  await reporting(await afterTwoHours());
  expect(log.warnings).toEqual([expect.stringContaining("The receipt could not be written")]);
  expect(log.lines).toHaveLength(1);
});

test("a step whose timeout-minutes ran out is reported as an error, a job that was cancelled is not", async () => {
  const ledger: Partial<Ledger> = { ...(await afterTwoHours()), end: { kind: "stopped" } };
  const notes = [expect.stringContaining("timeout-minutes of this step ran out"), "What was rented is given back."];
  expect(await reporting(ledger, {}, "failure")).toEqual({ isCutOff: true, notes });
  expect(await reporting(ledger, {}, "cancelled")).toEqual({ isCutOff: false, notes: [] });
});
