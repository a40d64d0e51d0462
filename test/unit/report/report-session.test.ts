import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import type { SessionDestroyed } from "../../../src/release/destroy-session.ts";
import type { Ledger } from "../../../src/release/ledger.ts";
import { reportSession } from "../../../src/report/summary.ts";
import { aLedger, aRecord, NOTHING_USED } from "../support/a-session-report.ts";
import { clock, freshWorld, log } from "../support/fresh-world.ts";

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

test.each([
  ["whose timeout-minutes ran out", { kind: "stopped" }, "timeout-minutes of this step ran out"],
  ["that was killed", undefined, "The main step was killed: "],
] as const)("a step %s is reported as an error, a job that was cancelled is not", async (_how, end, why) => {
  const ledger = { ...(await afterTwoHours()), end };
  expect(await reporting(ledger, {}, "failure")).toEqual({
    isCutOff: true,
    notes: [expect.stringContaining(why), "What was rented is given back."],
  });
  expect(await reporting(ledger, {}, "cancelled")).toEqual({ isCutOff: false, notes: [] });
});
