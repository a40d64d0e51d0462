import type { GpuJobs } from "../github/jobs.ts";
import { createdAt, grownTraffic, isDearer, type MachineRecord } from "../machine/record.ts";
import { type Cost, totalCost } from "../money/cost.ts";
import { recordedEnd, remainsOf, type SessionDestroyed } from "../release/destroy-session.ts";
import type { Ledger, Lessons, MainEnd, ReceiptContext } from "../release/ledger.ts";
import type { NumberedRecord } from "./machine-table.ts";

/** The facts that post knows in addition to the ledger. */
export interface Surroundings {
  /** `success`, `failure` or `cancelled`. */
  jobStatus: string;
  /** The jobs that ask for the machine; undefined if they could not be seen. */
  jobs: GpuJobs | undefined;
  /** The address of the run's page; undefined: jobs have no link. */
  runUrl?: string;
  /** Ids of what post left for a moment after a cancel, so that runners could end their jobs. */
  leftForJobs?: readonly number[];
}

/** All that post can say of a session. */
export interface SessionReport extends Surroundings {
  machines: readonly NumberedRecord[];
  /** Offers that somebody else had. */
  taken: number;
  /** True if no answer said what a create made: something may have been rented. */
  isUncertain: boolean;
  /** Ids of what post itself had to destroy. */
  destroyed: readonly number[];
  /** Names all that may still bill. */
  undestroyed: readonly string[];
  /** How main ended; undefined: it could not say. */
  mainEnd: MainEnd | undefined;
  /** The moment of the report, in milliseconds since the epoch. */
  end: number;
  /** Undefined: what main wrote down could not be read. */
  context?: ReceiptContext | undefined;
  lessons?: Lessons | undefined;
}

/** Puts together the report of a session. `end`: milliseconds since the epoch. */
export function sessionReport(
  ledger: Ledger,
  used: SessionDestroyed,
  around: Surroundings,
  end: number,
): SessionReport {
  const { context, end: mainEnd, lessons, reports } = ledger;
  const { destroyed, undestroyed } = used;
  const machines = eachOnce(reports).map((each) => ({ ...each, record: finalRecord(each.record, used) }));
  const isUncertain = remainsOf(ledger)?.isUncertain ?? false;
  const taken = countTaken(ledger);
  return { ...around, machines, taken, isUncertain, destroyed, undestroyed, mainEnd, context, lessons, end };
}

/** Lists each instance once. The service may have named one for two creates, and it bills once all the same. */
function eachOnce(reports: Ledger["reports"]): NumberedRecord[] {
  const all = [...reports].map(([machineNo, record]) => ({ machineNo, record }));
  const firstOf = (id: number) => all.find(({ record }) => record.instanceId === id);
  return all.filter((each) => firstOf(each.record.instanceId) === each);
}

/** Adds to a record what only post saw: the last figures (with `hold: false` a job goes on after main) and the end. */
function finalRecord(written: MachineRecord, used: SessionDestroyed): MachineRecord {
  const shown = used.shown.filter(({ id }) => id === written.instanceId);
  return recordedEnd(shown.reduce(withFigures, written), used, "destroyed by post");
}

/**
 * Returns a record with what the service shows of the bill now. SPEC-SILENT: whether the price that it shows
 * includes what the offer's does not, such as a volume.
 */
export function withFigures(
  record: MachineRecord,
  { startedAt, traffic, usdPerHour = 0 }: SessionDestroyed["shown"][number],
): MachineRecord {
  const { at, price } = record;
  return {
    ...record,
    price: { ...price, total: isDearer(usdPerHour, price.total) ? usdPerHour : price.total },
    at: { ...at, created: createdAt(at.created, startedAt, at.asked) },
    traffic: grownTraffic(record.traffic, traffic) ?? record.traffic,
  };
}

/** Counts the offers that somebody else had; if main was cut off, only those that are sure. */
function countTaken({ created, end, reports }: Ledger): number {
  if (end !== undefined && "taken" in end) return end.taken;
  return [...created].filter(([row, id]) => id === "none" && !reports.has(row)).length;
}

/** Finds the machine to report first: the one that a job ran on, else the last with a runner, else the last. */
export function mainMachine(machines: readonly NumberedRecord[]): NumberedRecord | undefined {
  // A spare may come online after the one that has the job.
  return (
    machines.findLast(({ record }) => record.jobs?.length) ??
    machines.findLast(({ record }) => record.at.online !== undefined) ??
    machines.at(-1)
  );
}

/** Computes the cost of all machines together. */
export function costOf({ machines, end }: Pick<SessionReport, "machines" | "end">): Cost {
  return totalCost(plainRecords(machines), end);
}

/** Returns the records without their numbers. */
export function plainRecords(machines: readonly NumberedRecord[]): MachineRecord[] {
  return machines.map(({ record }) => record);
}
