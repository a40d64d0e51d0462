import type { MachineRecord, RanJob } from "../machine/record.ts";
import { jobNumbers, type NumberedRecord } from "./machine-table.ts";

/** A longer chart is not read. The table below it has every machine. */
const MOST_ROWS = 40;

/** Below this, minutes alone would repeat on the axis. */
const SHORT_MS = 10 * 60_000;

/** Draws the machines' time as a Mermaid chart, in our own words alone: names are foreign. Empty without machines. */
export function ganttChart(machines: readonly NumberedRecord[], end: number): string[] {
  if (machines.length === 0) return [];
  const numbers = jobNumbers(machines);
  const sections = machines.map(({ machineNo, record }) => ({
    machineNo,
    rows: chartRows(record, end, (job) => numbers.get(job) ?? 0),
  }));
  const shown = sections.filter((_, index) => rowsUntil(sections, index) <= MOST_ROWS);
  const hidden = sections.length - shown.length;
  const moments = machines.flatMap(({ record: { at } }) => [at.asked, at.gone ?? end]);
  const isShort = Math.max(...moments) - Math.min(...moments) < SHORT_MS;
  return [
    ...["```mermaid", "---", "displayMode: compact", "---", "gantt", "  dateFormat x", "  todayMarker off"],
    `  axisFormat ${isShort ? "%H:%M:%S" : "%H:%M"}`,
    ...shown.flatMap(({ machineNo, rows }) => [`  section machine ${machineNo}`, ...rows.map((row) => `  ${row}`)]),
    "```",
    ...(hidden === 0 ? [] : ["", `The chart has the first ${shown.length} of ${sections.length} machines.`]),
  ];
}

function rowsUntil(sections: readonly { rows: readonly string[] }[], last: number): number {
  return sections.slice(0, last + 1).reduce((sum, { rows }) => sum + rows.length, 0);
}

/** Mermaid's mark of what is grey. */
const DONE = "done, ";

type Part = [name: string, mark: string, from: number | undefined, to: number];

/** Lists what a machine did, each part one row: the boot, the start of its runner, and its jobs. */
function chartRows({ at, jobs = [] }: MachineRecord, end: number, numberOf: (job: RanJob) => number): string[] {
  const gone = at.gone ?? end;
  const work = jobs.map((job): Part => {
    const { conclusion = "success", seconds = Number.POSITIVE_INFINITY, started = gone } = job;
    const mark = conclusion === "success" ? "active, " : "crit, ";
    return [`job ${numberOf(job)}`, mark, job.started, Math.min(gone, started + seconds * 1000)];
  });
  // A job may begin before main sees its runner online.
  const online = Math.min(at.online ?? gone, ...jobs.map(({ started = gone }) => started));
  const parts: Part[] = [
    ["booting", DONE, at.created ?? at.asked, Math.min(at.running ?? gone, online)],
    ["starting", DONE, at.running, online],
    ...(work.length === 0 ? [["ready", "", at.online, gone] satisfies Part] : work),
  ];
  return parts.flatMap(([name, mark, from, to]) => {
    // A stage of no length would push what follows into a row of its own.
    if (from === undefined || (mark === DONE && to - from < 1000)) return [];
    return [`${name} :${mark}${Math.round(from)}, ${Math.round(Math.max(to, from + 1000))}`];
  });
}
