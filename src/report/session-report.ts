import { type MachineRecord, noteFigures, unseenEnd } from "../create/machine-record.ts";
import type { GpuJobs } from "../github/jobs.ts";
import { type Cost, totalCost } from "../money/cost.ts";
import type { SessionDestroyed } from "../teardown/destroy-session.ts";
import type { Ledger, Lessons, MainEnd, ReceiptContext } from "../teardown/ledger.ts";
import type { NumberedReport } from "./machine-table.ts";

/** All that post can tell of a session. */
export interface SessionReport {
  machines: readonly NumberedReport[];
  /** Offers that somebody else had. */
  taken: number;
  /** True if the service was asked what there is; false if no create was ever sent. */
  wasAsked: boolean;
  /** True when a create's outcome was never written down: something may have been rented. */
  isUncertain: boolean;
  /** Ids of what post itself had to destroy. */
  destroyed: readonly number[];
  /** Names all that may still bill. */
  undestroyed: readonly string[];
  /** How main ended; undefined: it could not say. */
  mainEnd: MainEnd | undefined;
  /** `success`, `failure` or `cancelled`. */
  jobStatus: string;
  /** Ids of what post left for a moment after a cancel, so that runners could end their jobs. */
  leftForJobs?: readonly number[];
  /** The jobs that ask for the machine, where they could be seen. */
  jobs: GpuJobs | undefined;
  /** Milliseconds since the epoch. */
  end: number;
  /** Undefined: what main wrote down could not be read. */
  context?: ReceiptContext | undefined;
  lessons?: Lessons | undefined;
}

/** The facts that post knows beside the ledger. */
export type Surroundings = Pick<SessionReport, "jobStatus" | "jobs" | "leftForJobs">;

/** Puts together the report of a session. `end`: milliseconds since the epoch. */
export function sessionReport(
  ledger: Ledger,
  used: SessionDestroyed,
  around: Surroundings,
  end: number,
): SessionReport {
  return {
    ...around,
    machines: [...ledger.reports].map(([n, report]) => ({ n, report: withEnd(withFigures(report, used), used, end) })),
    taken: takenOffers(ledger),
    wasAsked: ledger.pending.size > 0,
    isUncertain: [...ledger.pending.keys()].some((n) => !ledger.created.has(n)),
    destroyed: used.destroyed,
    undestroyed: used.undestroyed,
    mainEnd: ledger.end,
    context: ledger.receipt,
    lessons: ledger.lessons,
    end,
  };
}

/** Adds the figures that post's lists showed: with `hold: false` a job goes on after main. */
function withFigures(report: MachineRecord, { shown = [] }: SessionDestroyed): MachineRecord {
  const copy = { ...report, at: { ...report.at } };
  for (const instance of shown) if (instance.id === report.instanceId) noteFigures(copy, instance);
  return copy;
}

/** Adds when each machine went: those that post destroyed were there until then; nobody saw the others go. */
function withEnd(
  report: MachineRecord,
  { destroyed, undestroyed, goneAt }: SessionDestroyed,
  end: number,
): MachineRecord {
  const { at, instanceId, last } = report;
  const seenGone = goneAt?.get(instanceId);
  // Main had the service's own word that there is none: an answer to post that was no clear yes undoes nothing.
  const wentEarlier = at.gone !== undefined && last === "gave itself back";
  if (destroyed.includes(instanceId) && !wentEarlier)
    return { ...report, at: { ...at, gone: seenGone ?? end }, last: `destroyed by post (${last})` };
  const isInDoubt = seenGone === undefined && undestroyed.length > 0;
  if (at.gone !== undefined || isInDoubt) return report;
  const why = last === "ready" ? "gave itself back" : `gave itself back (${last})`;
  return {
    ...report,
    at: { ...at, gone: seenGone === undefined ? undefined : unseenEnd(report, seenGone) },
    last: why,
  };
}

/** Counts the offers that somebody else had; if main was cut off, only those that are sure. */
function takenOffers({ created, end }: Ledger): number {
  if (end !== undefined && "taken" in end) return end.taken;
  return [...created.values()].filter((id) => id === "none").length;
}

/** Finds the machine to report first: the one that a job ran on, else the last with a runner, else the last. */
export function mainMachine(machines: readonly NumberedReport[]): NumberedReport | undefined {
  // A spare may come online after the one that has the job.
  return (
    machines.findLast(({ report }) => report.jobs?.length) ??
    machines.findLast(({ report }) => report.at.online !== undefined) ??
    machines.at(-1)
  );
}

/** The cost of all machines together. */
export function costOf({ machines, end }: Pick<SessionReport, "machines" | "end">): Cost {
  const reports = machines.map(({ report }) => report);
  return totalCost(reports, end);
}
