import * as core from "@actions/core";
import { type MachineRecord, machineRecordSchema } from "../create/machine-record.ts";
import type { LedgerPort } from "../create/rent.ts";
import { parseJson } from "../shared/json.ts";
import { type MainEnd, readEnd } from "./main-end.ts";

/** The notes of main. Every entry is one append, on disk before the call that it announces. */
export interface Ledger {
  /** Undefined: main never came so far that it could have rented. */
  prefix: string | undefined;
  /** Ids of the runners of each machine. */
  runners: ReadonlyMap<number, readonly number[]>;
  /** Labels of creates that were about to be sent. */
  pending: ReadonlyMap<number, string>;
  created: ReadonlyMap<number, number | "none">;
  reports: ReadonlyMap<number, MachineRecord>;
  /** True when main saw that the run is to be cancelled: its GPU job can't have a machine. */
  cancelRun: boolean;
  /** How main ended; undefined: it was cut off before it could say. */
  end?: MainEnd | undefined;
}

/** Main's side: writes. */
export const ledgerWriter: LedgerPort & { prefix(prefix: string): void; cancelRun(): void } = {
  prefix: (prefix) => core.saveState("prefix", prefix),
  runners: (n, runnerIds) => core.saveState(`runner_${n}`, runnerIds.join(",")),
  pending: (n, label) => core.saveState(`pending_${n}`, label),
  created: (n, instanceId) => core.saveState(`created_${n}`, instanceId),
  report: (n, report) => core.saveState(`report_${n}`, JSON.stringify(report)),
  cancelRun: () => core.saveState("cancel_run", "true"),
};

/** Post's side: reads what the platform hands over. */
export function readLedger(): Ledger {
  return {
    prefix: core.getState("prefix") || undefined,
    runners: numbered("runner", (text) =>
      text
        .split(",")
        .map(Number)
        .filter((id) => id > 0),
    ),
    pending: numbered("pending", String),
    created: numbered("created", (text) => (text === "none" ? "none" : Number(text) || undefined)),
    reports: numbered("report", readReport),
    cancelRun: core.getState("cancel_run") === "true",
    end: readEnd(),
  };
}

/** A report only tells; one that can't be read must not keep post from destroying. */
function readReport(text: string): MachineRecord | undefined {
  return machineRecordSchema.safeParse(parseJson(text)).data;
}

function numbered<T>(kind: string, read: (text: string) => T | undefined): Map<number, T> {
  const pattern = new RegExp(`^STATE_${kind}_(\\d+)$`);
  const entries = Object.entries(process.env).flatMap(([name, text]): [number, T][] => {
    const n = pattern.exec(name)?.[1];
    const value = text === undefined ? undefined : read(text);
    return n === undefined || value === undefined ? [] : [[Number(n), value]];
  });
  return new Map(entries.sort(([left], [right]) => left - right));
}
