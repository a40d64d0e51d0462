import { afterEach, describe, expect, test, vi } from "vitest";
import { savedState } from "../../../src/action/platform.ts";
import type { MachineRecord } from "../../../src/machine/record.ts";
import { readLedger } from "../../../src/release/ledger.ts";

const REPORT: MachineRecord = {
  instanceId: 7,
  offer: { id: 11, machineId: 100, gpuName: "RTX 4090", numGpus: 1 },
  price: { total: 0.6, storage: 0.06, inetDown: 0.01, inetUp: 0.02 },
  at: { asked: 1, created: 2, running: 3 },
  traffic: { downGb: 8, upGb: 1 },
  deadline: 1_798_761_600_000,
  estimate: {
    minutes: 135,
    machine: 1.35,
    bytes: { imageGb: 5, runnerGb: 0.2, usd: 0.052 },
    most: 1.402,
    holder: { usdPerMinute: 0.006, usd: 0.81 },
  },
  last: "ready",
};

afterEach(() => {
  vi.unstubAllEnvs();
});

/** As the runner hands the state of main to post. */
function handOver(state: Record<string, string>): void {
  for (const [name, value] of Object.entries(state)) vi.stubEnv(`STATE_${name}`, value);
}

test("what main wrote down, in the order of the creates", () => {
  handOver({
    prefix: "ghr1.1.2-1.abcdef",
    runner_10: "30",
    runner_2: "22",
    pending_10: "ghr1.1.2-1.abcdef.10.9",
    pending_2: "ghr1.1.2-1.abcdef.2.9",
    created_2: "none",
    created_10: "7",
    report_10: JSON.stringify(REPORT),
  });
  const ledger = readLedger(savedState());
  expect(ledger.prefix).toBe("ghr1.1.2-1.abcdef");
  expect([...ledger.runners]).toEqual([
    [2, [22]],
    [10, [30]],
  ]);
  expect([...ledger.pending.keys()]).toEqual([2, 10]);
  expect([...ledger.created]).toEqual([
    [2, "none"],
    [10, 7],
  ]);
  expect([...ledger.reports]).toEqual([[10, REPORT]]);
});

test("nothing, when main never came so far", () => {
  expect(readLedger(savedState())).toMatchObject({ prefix: undefined, runners: new Map(), pending: new Map() });
});

describe("an entry that can't be read keeps post from nothing", () => {
  test.each(["", "{", "null", "[]", '{"instanceId": "7"}', JSON.stringify({ ...REPORT, price: null })])(
    "a report: %j",
    (text) => {
      handOver({ pending_1: "label", created_1: "7", report_1: text });
      const ledger = readLedger(savedState());
      expect([...ledger.reports]).toEqual([]);
      expect([...ledger.created]).toEqual([[1, 7]]);
    },
  );

  test.each(["", "NaN", "soon"])(
    "an id: %j leaves the outcome of the create open, so that it is looked for",
    (text) => {
      handOver({ pending_1: "label", created_1: text });
      expect(readLedger(savedState()).created.has(1)).toBe(false);
      expect(readLedger(savedState()).pending.has(1)).toBe(true);
    },
  );
});
