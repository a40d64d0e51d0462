import { Fleet } from "../fleet/fleet.ts";
import { drawUse, labelPrefix, serverLetters } from "../machine/label.ts";
import type { LedgerPort, RunnerPort } from "../machine/ports.ts";
import type { Report } from "../machine/report.ts";
import { runnerPort } from "./platform/github-ports.ts";
import { ledgerWriter } from "./platform/ledger.ts";
import type { Rooms } from "./platform/rooms.ts";
import type { RunContext } from "./platform/run-context.ts";

/** One use of the action: its mark on everything that it rents and registers. */
export interface Use {
  /** What the label of every instance of this use begins with. */
  prefix: string;
  /** Its runners are named `<runnerNamePrefix>-<n>`. */
  runnerNamePrefix: string;
  /** Ids of the runners that were registered so far. */
  runnerIds: Set<number>;
  /** Ids of the instances that were created and are not known to be gone. */
  rented: Set<number>;
  /** What was written down of each, by the number of its create. */
  reports: Map<number, Report>;
  /** All of it was destroyed, strays included. */
  isGivenBack: boolean;
  ledger: LedgerPort;
  runners: RunnerPort;
  fleet: Fleet;
}

/** Draws the mark of this use and writes it down, before anything that rents: post must be able to find whatever comes. */
export async function openUse(rooms: Rooms, run: RunContext, signal: AbortSignal): Promise<Use> {
  const repositoryId = await rooms.repositoryId(signal);
  const use = drawUse();
  const { runId, attempt, runnerLabel } = run;
  const prefix = labelPrefix({ server: serverLetters(run.serverUrl), repositoryId, runId, attempt, use });
  ledgerWriter.prefix(prefix);
  rooms.log.info(`Everything that this use rents is labelled ${prefix}.…`);
  const runnerIds = new Set<number>();
  const runners = runnerPort(rooms, rooms.jobs, runnerLabel, runnerIds);
  const rented = new Set<number>();
  const reports = new Map<number, Report>();
  const ledger = rememberingLedger({ runnerIds, rented, reports });
  const fleet = new Fleet({ service: rooms.service, runners, clock: rooms.clock, log: rooms.log });
  return {
    prefix,
    runnerNamePrefix: `${runnerLabel}-${use}`,
    runnerIds,
    rented,
    reports,
    isGivenBack: false,
    ledger,
    runners,
    fleet,
  };
}

/** Writes everything down for post, and keeps in mind what main itself asks for. */
function rememberingLedger({ runnerIds, rented, reports }: Pick<Use, "runnerIds" | "rented" | "reports">): LedgerPort {
  return {
    ...ledgerWriter,
    runner(n, id) {
      ledgerWriter.runner(n, id);
      runnerIds.add(id);
    },
    created(n, id) {
      ledgerWriter.created(n, id);
      if (id !== "none") rented.add(id);
    },
    report(n, report) {
      ledgerWriter.report(n, report);
      reports.set(n, report);
      if (report.at.gone === undefined) rented.add(report.instanceId);
      else rented.delete(report.instanceId);
    },
  };
}
