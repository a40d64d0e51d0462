import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { MachineRecord } from "../../../src/machine/record.ts";
import type { SessionDestroyed } from "../../../src/release/destroy-session.ts";
import type { Ledger, ReceiptContext } from "../../../src/release/ledger.ts";
import { reportSession } from "../../../src/report/summary.ts";
import { HandWoundClock } from "../support/hand-wound-clock.ts";
import { RecordedLog } from "../support/recorded-log.ts";

const HOUR = 3_600_000;
const NO_CONTEXT = "What this step cost on its own runner is not known.";

let clock: HandWoundClock;
let log: RecordedLog;
let folder: string;
let context: ReceiptContext | undefined;
let end: Ledger["end"];

beforeEach(() => {
  clock = new HandWoundClock();
  log = new RecordedLog();
  folder = mkdtempSync(join(tmpdir(), "report-"));
  context = undefined;
  end = undefined;
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

/** The receipt as post left it. */
function receipt() {
  return JSON.parse(readFileSync(join(folder, "ephemeral-gpu-runner-abcdef.json"), "utf8"));
}

/** A machine at 0.60 USD per hour that ran from the start of the test on. */
function report(gone?: number): MachineRecord {
  const start = clock.start;
  return {
    instanceId: 7,
    offer: { id: 11, machineId: 100, gpuName: "RTX 4090", numGpus: 1 },
    price: { total: 0.6, storage: 0 },
    at: { asked: start, created: start, running: start, gone },
    last: "ready",
  };
}

async function reporting(records: MachineRecord[], used: Partial<SessionDestroyed> = {}, jobStatus = "success") {
  await clock.advance(2 * HOUR);
  const written = new Map(records.map((each, index) => [index + 1, each]));
  const ledger: Ledger = {
    sessionId: "abcdef",
    context,
    end,
    prefix: "ghr1.1.2-1.abcdef",
    runners: new Map(),
    pending: new Map(),
    created: new Map(),
    claimed: [],
    reports: written,
    cancelRun: false,
    forged: [],
    known: [],
  };
  const page = { annotate() {}, setOutput() {}, async summarize() {}, folder: () => folder };
  return await reportSession(
    { clock, log, page },
    ledger,
    { destroyed: [], undestroyed: [], goneAt: new Map(), shown: [], ...used },
    { jobs: undefined, jobStatus },
  );
}

test("nothing was rented", async () => {
  await reporting([]);
  expect(log.lines).toEqual(["Nothing was rented."]);
});

test.each([
  [0, "It cost nothing."],
  [1e-5, "It cost less than 0.0001 USD: 0.00 for machines, less than 0.0001 for traffic."],
])("a cost that four decimals don't show: traffic at %s USD per GB", async (inetDown, sentence) => {
  const { start } = clock;
  const price = { total: 0.6, storage: 0, inetDown };
  const traffic = { downGb: 1, upGb: 0 };
  await reporting([{ ...report(start), price, traffic, at: { asked: start, created: start, gone: start } }]);
  expect(log.lines[0]).toBe(`Nothing is rented any more. ${sentence} ${NO_CONTEXT}`);
});

test("what a machine cost that gave itself back after an hour", async () => {
  await reporting([report(clock.start + HOUR)]);
  expect(log.lines[0]).toBe(
    `Nothing is rented any more. It cost about 0.60 USD: 0.60 for machines, traffic not counted. ${NO_CONTEXT}`,
  );
});

test("what post destroyed was there until now, whatever main had seen", async () => {
  await reporting([report(clock.start + HOUR)], { destroyed: [7], goneAt: new Map([[7, clock.start + 2 * HOUR]]) });
  expect(log.lines[0]).toBe(
    `Nothing is rented any more. It cost about 1.20 USD: 1.20 for machines, traffic not counted. ${NO_CONTEXT}`,
  );
});

test("… or until the moment at which post saw that it was gone", async () => {
  await reporting([report()], { destroyed: [7], goneAt: new Map([[7, clock.start + HOUR / 2]]) });
  expect(log.lines[0]).toContain("It cost about 0.30 USD");
});

test("a machine that nobody saw going was gone when post looked", async () => {
  await reporting([report()], { goneAt: new Map([[7, clock.start + HOUR]]) });
  expect(log.lines[0]).toContain("It cost about 0.60 USD");
});

test("… but soon after its deadline at the latest", async () => {
  const deadline = clock.start + HOUR / 2 - 15_000;
  await reporting([{ ...report(), deadline }], { goneAt: new Map([[7, clock.start + HOUR]]) });
  expect(log.lines[0]).toContain("It cost about 0.30 USD");
});

test("traffic is in it where the service showed it", async () => {
  const price = { total: 0.6, storage: 0, inetDown: 0.01, inetUp: 0.02 };
  await reporting([{ ...report(clock.start + HOUR), price, traffic: { downGb: 8, upGb: 1 } }]);
  expect(log.lines[0]).toContain("It cost about 0.70 USD: 0.60 for machines, 0.10 for traffic.");
});

test("traffic of another machine that is not known is said to be missing", async () => {
  const price = { total: 0.6, storage: 0, inetDown: 0.01, inetUp: 0.02 };
  const shown = { ...report(clock.start + HOUR), price, traffic: { downGb: 8, upGb: 1 } };
  await reporting([shown, { ...report(clock.start + HOUR), instanceId: 8 }]);
  expect(log.lines[0]).toContain("0.10 for traffic (that of 1 machine not counted).");
});

test("a machine of which nothing was written down: its cost is not known, and not made up", async () => {
  await reporting([], { destroyed: [8] });
  expect(log.lines[0]).toBe(
    `Nothing is rented any more. What instance 8 cost is not known: nothing was written down of it. ${NO_CONTEXT}`,
  );
});

test("… nor is it in the sum of the others", async () => {
  await reporting([report(clock.start + HOUR)], { destroyed: [8, 9] });
  expect(log.lines[0]).toBe(
    `Nothing is rented any more. It cost about 0.60 USD: 0.60 for machines, traffic not counted. What instances 8, 9 cost is not known: nothing was written down of them. ${NO_CONTEXT}`,
  );
});

test("does not say that nothing is rented while something may still bill", async () => {
  await reporting([report()], { undestroyed: ["instance 7"] });
  expect(log.lines.join()).not.toContain("Nothing is rented");
});

describe("the last receipt", () => {
  test("has the cost, the step's minutes, and what may still bill", async () => {
    context = { startedAt: clock.start + HOUR, runnerLabel: "gpu-2-1", maxCost: 5 };
    await reporting([report()], { undestroyed: ["instance 7"] });
    expect(receipt()).toMatchObject({
      version: 1,
      state: "ended",
      runnerLabel: "gpu-2-1",
      maxCost: 5,
      actual: { total: 1.2 },
      holder: { minutes: 60, usdPerMinute: 0.006 },
      mayStillBill: ["instance 7"],
    });
    expect(log.lines[0]).toContain("This step took 60 min on its own runner: 0.36 USD in a private repository.");
  });

  test("is of the same moment as the summary and the log, however long the report takes", async () => {
    context = { startedAt: clock.start, runnerLabel: "gpu-2-1" };
    const now = clock.now.bind(clock);
    let looks = 0;
    clock.now = () => now() + HOUR * looks++;
    await reporting([report()], { undestroyed: ["instance 7"] });
    expect(receipt()).toMatchObject({ actual: { total: 1.2 }, holder: { minutes: 120 } });
    expect(log.lines[0]).toContain("This step took 120 min on its own runner: 0.72 USD in a private repository.");
  });

  test("leaves out what main did not write down", async () => {
    await reporting([report()]);
    expect(receipt()).toMatchObject({ runnerLabel: null, maxCost: null, holder: null });
  });

  test("one that can't be written is only logged", async () => {
    rmSync(folder, { recursive: true });
    await reporting([report(clock.start + HOUR)]);
    expect(log.warnings).toEqual([expect.stringContaining("The receipt could not be written")]);
    expect(log.lines).toHaveLength(1);
  });
});

test.each([
  ["whose timeout-minutes ran out", { kind: "stopped" }, "timeout-minutes of this step ran out"],
  ["that was killed", undefined, "The main step was killed: "],
] as const)("a step %s is reported as an error, a job that was cancelled is not", async (_how, mainEnd, why) => {
  end = mainEnd;
  expect(await reporting([report()], {}, "failure")).toEqual({
    isCutOff: true,
    notes: [expect.stringContaining(why), "What was rented is given back."],
  });
  expect(await reporting([report()], {}, "cancelled")).toEqual({ isCutOff: false, notes: [] });
});
