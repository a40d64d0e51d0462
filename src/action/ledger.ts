import * as core from "@actions/core";
import type { LedgerPort, Report } from "../provisioning/ports.ts";

/** What main wrote down. Every entry is one append, on disk before the call that it announces. */
export interface Ledger {
  /** Undefined: main never came so far that it could have rented. */
  prefix: string | undefined;
  runners: ReadonlyMap<number, number>;
  /** Labels of creates that were about to be sent. */
  pending: ReadonlyMap<number, string>;
  created: ReadonlyMap<number, number | "none">;
  reports: ReadonlyMap<number, Report>;
}

/** Main's side: writes. */
export const ledgerWriter: LedgerPort & { prefix(prefix: string): void } = {
  prefix: (prefix) => core.saveState("prefix", prefix),
  runner: (n, runnerId) => core.saveState(`runner_${n}`, runnerId),
  pending: (n, label) => core.saveState(`pending_${n}`, label),
  created: (n, instanceId) => core.saveState(`created_${n}`, instanceId),
  report: (n, report) => core.saveState(`report_${n}`, JSON.stringify(report)),
};

/** Post's side: reads what the platform hands over. */
export function readLedger(): Ledger {
  return {
    prefix: core.getState("prefix") || undefined,
    runners: numbered("runner", Number),
    pending: numbered("pending", String),
    created: numbered("created", (text) => (text === "none" ? "none" : Number(text))),
    reports: numbered("report", (text) => JSON.parse(text) as Report),
  };
}

function numbered<T>(kind: string, read: (text: string) => T): Map<number, T> {
  const pattern = new RegExp(`^STATE_${kind}_(\\d+)$`);
  const entries = Object.entries(process.env).flatMap(([name, text]): [number, T][] => {
    const n = pattern.exec(name)?.[1];
    return n === undefined || text === undefined ? [] : [[Number(n), read(text)]];
  });
  return new Map(entries.sort(([left], [right]) => left - right));
}
