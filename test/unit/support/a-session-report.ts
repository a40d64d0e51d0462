import type { MachineRecord } from "../../../src/machine/record.ts";
import type { SessionDestroyed } from "../../../src/release/destroy-session.ts";
import type { Ledger } from "../../../src/release/ledger.ts";
import type { NumberedRecord } from "../../../src/report/machine-table.ts";
import type { SessionReport } from "../../../src/report/session-report.ts";

/** When the machines of these tests were asked for, in milliseconds since the epoch. */
export const START = Date.UTC(2026, 0, 1);

/** A machine that was rented for an hour and did its job, but for what the test says. */
export function aRecord(given: Partial<MachineRecord> = {}): MachineRecord {
  return {
    instanceId: 7001001,
    offer: { id: 11, machineId: 40211, gpuName: "RTX 4090", numGpus: 1 },
    price: { total: 0.6, storage: 0.06 },
    at: {
      searched: START - 1000,
      asked: START,
      created: START + 2000,
      running: START + 95_000,
      online: START + 140_000,
      gone: START + 3_602_000,
    },
    last: "gave itself back",
    ...given,
  };
}

/** One that was created, never ran and was destroyed after five minutes. */
export function aFailedRecord(given: Partial<MachineRecord> = {}): MachineRecord {
  return aRecord({
    instanceId: 7001000,
    offer: { id: 10, machineId: 501, gpuName: "RTX 4090", numGpus: 1 },
    at: { searched: START - 400_000, asked: START - 399_000, created: START - 397_000, gone: START - 97_000 },
    last: "it is exited",
    ...given,
  });
}

/** The report of a session whose job is over and whose machine is gone, but for what the test says. */
export function aSessionReport(
  given: Omit<Partial<SessionReport>, "machines"> & { records?: readonly MachineRecord[] } = {},
): SessionReport {
  const { records = [aRecord()], ...more } = given;
  return {
    machines: numbered(records),
    taken: 0,
    isUncertain: false,
    destroyed: [],
    undestroyed: [],
    mainEnd: { kind: "over", taken: 0 },
    jobStatus: "success",
    jobs: undefined,
    end: START + 4_000_000,
    ...more,
  };
}

/** Main's notes on a session that rented nothing, but for what the test says. */
export function aLedger(given: Partial<Ledger> = {}): Ledger {
  const empty = { runners: new Map(), pending: new Map(), created: new Map(), reports: new Map() };
  const none = { cancelRun: false, forged: [], claimed: [], known: [] };
  return { sessionId: "abcdef", prefix: "ghr1.1.2-1.abcdef", ...empty, ...none, ...given };
}

/** What post says of a session of which nothing was left. */
export const NOTHING_USED: SessionDestroyed = { destroyed: [], undestroyed: [], goneAt: new Map(), shown: [] };

/** Machines by their numbers, from 1 on. */
export function numbered(records: readonly MachineRecord[]): NumberedRecord[] {
  return records.map((record, index) => ({ machineNo: index + 1, record }));
}
