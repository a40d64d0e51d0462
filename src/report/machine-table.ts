import type { MachineRecord } from "../create/machine-record.ts";
import { actualCost } from "../money/cost.ts";
import { formatPrice } from "../money/price.ts";
import { formatDuration } from "../shared/duration.ts";
import { oneLine } from "../shared/foreign-text.ts";
import type { Table } from "../shared/table.ts";
import { jobCosts } from "./job-costs.ts";

/** A machine by its number in the log. */
export interface NumberedReport {
  n: number;
  report: MachineRecord;
}

/** `end`: now, in milliseconds since the epoch. */
interface Row extends NumberedReport {
  end: number;
}

const COLUMNS: readonly [title: string, cell: (row: Row) => string][] = [
  ["#", ({ n }) => String(n)],
  ["machine", ({ report }) => String(report.offer.machineId ?? "unknown")],
  ["offer", ({ report }) => String(report.offer.id)],
  ["instance", ({ report }) => String(report.instanceId)],
  ["GPU", ({ report }) => gpuOf(report)],
  ["price per hour", ({ report }) => formatPrice(report.price.total)],
  ["got to", ({ report }) => stageOf(report)],
  ["rented for", rentedFor],
  ["cost", ({ report, end }) => formatPrice(actualCost(report, end).total)],
  ["jobs", jobsOf],
  // The last one: it may be long, and nothing stands behind it.
  ["why it ended", ({ report }) => oneLine(report.last, 120)],
];

/** The machines with their fates and jobs. Foreign text is one line, not harmless in Markdown. */
export function machineTable(machines: readonly NumberedReport[], end: number): Table {
  const rows = machines.map((machine) => COLUMNS.map(([, cell]) => cell({ ...machine, end })));
  return [COLUMNS.map(([title]) => title), ...rows];
}

/** Such as `1 × RTX 4090`. */
export function gpuOf({ offer }: MachineRecord): string {
  return `${offer.numGpus} × ${oneLine(offer.gpuName, 60)}`;
}

function stageOf({ at, last }: MachineRecord): string {
  if (at.online !== undefined || last === "ready") return "ready";
  return at.running === undefined ? "created" : "running";
}

function rentedFor({ report: { at }, end }: Row): string {
  return at.created === undefined ? "–" : formatDuration((at.gone ?? end) - at.created);
}

/** Such as `test (3.12): success, 5m, 0.25 USD`; a spare is one that no job needed. */
function jobsOf({ report, end }: Row): string {
  const { isUnneeded, jobs = [] } = report;
  const costs = jobCosts(report, end);
  const shown = jobs.map(({ conclusion = "not seen to end", name, seconds }, index) => {
    const time = seconds === undefined ? [] : [formatDuration(seconds * 1000)];
    return `${oneLine(name, 100)}: ${[conclusion, ...time, formatPrice(costs[index] ?? 0)].join(", ")}`;
  });
  return shown.join("; ") || (isUnneeded ? "spare" : "–");
}
