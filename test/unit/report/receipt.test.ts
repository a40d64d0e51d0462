import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { stepPage } from "../../../src/action/platform.ts";
import { figuresJson } from "../../../src/gpu-figures/show.ts";
import type { MachineRecord } from "../../../src/machine/record.ts";
import { type Receipt, type ReceiptFacts, receiptOf } from "../../../src/report/receipt.ts";
import { sessionFile } from "../../../src/report/step-page.ts";
import { aRecord, START } from "../support/a-session-report.ts";

const MINUTE = 60_000;

const RECORD = aRecord({
  price: { total: 0.6, storage: 0.06, inetDown: 0.01, inetUp: 0.02 },
  at: {
    ...{ searched: START, asked: START + 2000, created: START + 3000 },
    ...{ running: START + MINUTE, online: START + 1.5 * MINUTE, gone: START + 61 * MINUTE },
  },
  traffic: { downGb: 8, upGb: 1 },
  estimate: {
    ...{ minutes: 135, machine: 1.35, bytes: { runnerGb: 0.2, usd: 0.002 }, most: 1.352 },
    holder: { usdPerMinute: 0.006, usd: 0.81 },
  },
});

/** The receipt as it is written. */
function receipt(given: Partial<ReceiptFacts> = {}): Receipt {
  const context = { startedAt: START - MINUTE, runnerLabel: "gpu-2-1", maxCost: 2 };
  const facts = { labelPrefix: "ghr1.1.2-1.abcdef", context, records: [RECORD], mayStillBill: [] };
  return JSON.parse(figuresJson(receiptOf({ state: "ended", now: START + 62 * MINUTE, ...facts, ...given })));
}

test("the whole receipt", () => {
  expect(receipt()).toEqual({
    version: 1,
    state: "ended",
    written: "2026-01-01T01:02:00.000Z",
    currency: "USD",
    labelPrefix: "ghr1.1.2-1.abcdef",
    runnerLabel: "gpu-2-1",
    maxCost: 2,
    machines: [
      {
        instanceId: 7001001,
        offer: { id: 11, machineId: 40211, gpuName: "RTX 4090", numGpus: 1 },
        price: { perHour: 0.6, storagePerHour: 0.06, downPerGb: 0.01, upPerGb: 0.02 },
        created: "2026-01-01T00:00:03.000Z",
        gone: "2026-01-01T01:01:00.000Z",
        seconds: { search: 2, create: 1, boot: 57, online: 30, held: 3570 },
        estimate: { ...RECORD.estimate, bytes: { imageGb: null, runnerGb: 0.2, usd: 0.002 } },
        actual: { gpu: 0.54, storage: expect.closeTo(0.06095, 8), bytes: 0.1, total: expect.closeTo(0.70095, 8) },
        jobs: [],
        spare: false,
        figures: expect.objectContaining({ source: null, seconds: { boot: 57, setup: null, idle: null, work: null } }),
        trafficGb: { down: 8, up: 1 },
        lastState: "gave itself back",
      },
    ],
    actual: { gpu: 0.54, storage: expect.closeTo(0.06095, 8), bytes: 0.1, total: expect.closeTo(0.70095, 8) },
    spares: { machines: 0, total: 0 },
    holder: { minutes: 63, usdPerMinute: 0.006, usd: expect.closeTo(0.378, 8) },
    mayStillBill: [],
  });
});

test("each job has its part of the cost, by its time; a machine that no job needed is a spare", () => {
  const jobs = [
    { name: "test (1)", conclusion: "success", seconds: 600, started: START + MINUTE },
    { name: "test (2)", conclusion: "failure", seconds: 1800 },
  ];
  const records: MachineRecord[] = [
    { ...RECORD, jobs },
    { ...RECORD, instanceId: 8, isUnneeded: true },
    // A job came to it after all.
    { ...RECORD, instanceId: 9, isUnneeded: true, jobs: [{ name: "test (3)" }] },
  ];
  const { actual, machines, spares } = receipt({ records });
  const [{ actual: one } = { actual }] = machines;
  const [quarter, rest] = [one.total / 4, (one.total * 3) / 4].map((usd) => expect.closeTo(usd, 8));
  expect(machines[0]?.jobs).toEqual([
    { ...jobs[0], started: "2026-01-01T00:01:00.000Z", usd: quarter, figures: null },
    { ...jobs[1], started: null, usd: rest, figures: null },
  ]);
  expect(machines[2]?.jobs[0]?.usd).toBeCloseTo(one.total, 8);
  expect(machines.map(({ spare }) => spare)).toEqual([false, true, false]);
  expect(spares).toEqual({ machines: 1, total: expect.closeTo(actual.total / 3, 8) });
});

test("a job that was not seen to end has its part of the cost, too: from its start until the machine was gone", () => {
  const ended = { name: "test (1)", conclusion: "success", seconds: 600, started: START + MINUTE };
  const jobs = [ended, { name: "test (2)", started: START + 11 * MINUTE }];
  const [machine] = receipt({ records: [{ ...RECORD, jobs }] }).machines;
  const total = machine?.actual.total ?? Number.NaN;
  const parts = [total / 6, (total * 5) / 6].map((usd) => expect.closeTo(usd, 8));
  expect(machine?.jobs.map(({ usd }) => usd)).toEqual(parts);
  const alive = { ...RECORD, at: { ...RECORD.at, gone: undefined }, jobs };
  const [billing] = receipt({ records: [alive], now: START + 21 * MINUTE }).machines;
  expect(billing?.jobs[0]?.usd).toBeCloseTo(billing?.jobs[1]?.usd ?? Number.NaN, 8);
});

test("its path names the session, in the job's own temporary folder, and in the system's where there is none", () => {
  vi.stubEnv("RUNNER_TEMP", "/runner/_temp");
  expect(sessionFile(stepPage, "abcdef", ".json")).toBe("/runner/_temp/ephemeral-gpu-runner-abcdef.json");
  vi.stubEnv("RUNNER_TEMP", "");
  expect(sessionFile(stepPage, "abcdef", ".json")).toBe(join(tmpdir(), "ephemeral-gpu-runner-abcdef.json"));
  vi.unstubAllEnvs();
});
