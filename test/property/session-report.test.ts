import fc from "fast-check";
import { expect, test } from "vitest";
import type { MachineRecord } from "../../src/machine/record.ts";
import type { MainEnd } from "../../src/release/ledger.ts";
import type { Swept } from "../../src/release/sweep.ts";
import { receiptOf } from "../../src/report/receipt.ts";
import type { SessionReport } from "../../src/report/session-report.ts";
import { summaryMarkdown } from "../../src/report/summary.ts";
import { sweepLines, sweepMarkdown } from "../../src/report/sweep-report.ts";
import { gpuJobs } from "../unit/support/a-fleet.ts";
import { aRecord, aSessionReport, START } from "../unit/support/a-session-report.ts";
import { always } from "./support/always.ts";
import { hostileText, orNone } from "./support/hostile.ts";
import { isPlainLine } from "./support/readings.ts";

const HARMLESS = "x";
const AFTER = START + 100_000_000;
const moment = orNone(fc.integer({ min: START, max: START + 90_000_000 }));
const record: fc.Arbitrary<MachineRecord> = fc
  .record({
    gpu: hostileText,
    last: fc.oneof(fc.constantFrom("ready", "created"), hostileText),
    total: fc.double({ min: 0, max: 1e6, noNaN: true }),
    at: fc.record({ created: moment, running: moment, online: moment, gone: moment, asked: fc.constant(START) }),
  })
  .map(({ gpu, last, total, at }) =>
    aRecord({ offer: { id: 11, gpuName: gpu, numGpus: 1 }, price: { total, storage: total / 10 }, last, at }),
  );
const what = fc.constantFrom("no-machine" as const, "job-failed" as const, "lost" as const, "bug" as const);
const mainEnd: fc.Arbitrary<MainEnd | undefined> = fc.oneof(
  fc.constantFrom<MainEnd | undefined>(undefined, { kind: "over", taken: 0 }, { kind: "ready" }, { kind: "stopped" }),
  hostileText.map((message) => ({ kind: "no-job", message }) as const),
  fc.record({ kind: fc.constant("failed" as const), what, message: hostileText, hint: hostileText, taken: fc.nat(3) }),
);
const session: fc.Arbitrary<SessionReport> = fc
  .record({
    records: fc.array(record, { maxLength: 3 }),
    mainEnd,
    undestroyed: fc.array(hostileText, { maxLength: 2 }),
    destroyed: fc.array(fc.integer({ min: 1 }), { maxLength: 1 }),
    taken: fc.nat(3),
    jobStatus: fc.constantFrom("success", "failure", "cancelled"),
    jobs: orNone(fc.constant(gpuJobs({ waiting: 1 }))),
  })
  .map((given) => aSessionReport(given));

/** The same with harmless words wherever others wrote something. */
function harmless(report: SessionReport): SessionReport {
  const { mainEnd: end } = report;
  const words =
    end !== undefined && "message" in end
      ? { ...end, message: HARMLESS, ...("hint" in end && { hint: HARMLESS }) }
      : end;
  return {
    ...report,
    mainEnd: words as MainEnd | undefined,
    undestroyed: report.undestroyed.map(() => HARMLESS),
    machines: report.machines.map(({ machineNo, record: each }) => ({
      machineNo,
      record: {
        ...each,
        offer: { ...each.offer, gpuName: HARMLESS },
        last: each.last === "ready" ? "ready" : HARMLESS,
      },
    })),
  };
}

/** The Markdown of a text: its lines, and the characters that mean something. */
function markdownOf(text: string): string {
  return text.replace(/&#\d+;/g, "").replace(/[^\\`*_{}[\]()#+!|<>~&@:/$\n]|:(?= )/g, "");
}

test("a summary has the same Markdown, whatever others wrote into it", () =>
  always(1000, [session], (report) => {
    const text = summaryMarkdown(report);
    expect(markdownOf(text)).toBe(markdownOf(summaryMarkdown(harmless(report))));
    expect(text).not.toMatch(/www\./i);
    expect(text.isWellFormed()).toBe(true);
  }));

test("a receipt is JSON that can be read again, without a number that is none", () =>
  always(100, [fc.array(record, { maxLength: 4 }), fc.array(hostileText)], (records, mayStillBill) => {
    const facts = { state: "ended", now: AFTER, labelPrefix: "ghr1.1.2-1.abcdef", context: undefined } as const;
    const receipt = receiptOf({ ...facts, records, mayStillBill });
    expect(JSON.parse(JSON.stringify(receipt))).toEqual(receipt);
    const amounts = receipt.machines.flatMap(({ actual }) => [actual.gpu, actual.storage, actual.total]);
    expect(amounts.filter((amount) => !(amount >= 0))).toEqual([]);
  }));

test("a sweep's report has the same Markdown, whatever kept a machine alive", () => {
  const kind = fc.constantFrom<Swept["kind"]>("destroyed", "was-gone", "would-go", "refused", "left");
  always(100, [fc.array(fc.tuple(kind, hostileText), { maxLength: 4 })], (fates) => {
    const label = { server: "", repositoryId: 1, runId: 2, attempt: 1, sessionId: "abcdef", machineNo: 1, expiry: 3 };
    const ours = fates.map(([each, why], id) => ({
      owned: { id, label, startedAt: START, usdPerHour: 0.4 },
      fate: { kind: each, why } as Swept,
    }));
    const swept = { seen: 9, foreign: 2, lookAgainAt: undefined, ours };
    const tame = { ...swept, ours: ours.map((each) => ({ ...each, fate: { ...each.fate, why: HARMLESS } })) };
    const now = START + 5000;
    expect(markdownOf(sweepMarkdown(swept, now))).toBe(markdownOf(sweepMarkdown(tame, now)));
    expect(sweepLines(tame, now).filter((line) => !isPlainLine(line))).toEqual([]);
  });
});
