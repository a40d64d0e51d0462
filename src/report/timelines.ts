import type { MachineRecord } from "../create/machine-record.ts";
import { formatDuration } from "../shared/duration.ts";
import { type Table, textTable } from "../shared/table.ts";
import type { NumberedReport } from "./machine-table.ts";

const WIDTH = 40;
const LEGEND = "· asked  ░ booting  ▒ starting  ─ ready  █ busy";

interface Stretch {
  name: string;
  mark: string;
  from: number | undefined;
  to: number | undefined;
}

/** A text bar for each machine on one axis of time, and how long its stages took; `end`: now. */
export function timelines(machines: readonly NumberedReport[], end: number): string[] {
  const begin = Math.min(...machines.map(({ report }) => report.at.asked));
  const last = Math.max(...machines.map(({ report }) => report.at.gone ?? end));
  const span = formatDuration(last - begin);
  const axis = ["", `0s${span.padStart(WIDTH - 2)}`, ""];
  const rows: Table = machines.map(({ n, report }) => {
    const stretches = stretchesOf(report, end);
    return [`machine ${n}`, barOf(stretches, begin, last), inWords(stretches)];
  });
  return rows.length === 0 ? [] : [...textTable([axis, ...rows]), LEGEND];
}

/** In the order in which they are drawn: a later one covers an earlier one. */
function stretchesOf({ at, jobs = [] }: MachineRecord, end: number): Stretch[] {
  const gone = at.gone ?? end;
  const busy = jobs.map(({ seconds, started }) => ({
    name: "busy",
    mark: "█",
    from: started,
    to: started === undefined ? undefined : Math.min(gone, seconds === undefined ? gone : started + seconds * 1000),
  }));
  return [
    { name: "asked", mark: "·", from: at.asked, to: at.created ?? gone },
    { name: "booting", mark: "░", from: at.created, to: at.running ?? gone },
    { name: "starting", mark: "▒", from: at.running, to: at.online ?? gone },
    { name: "ready", mark: "─", from: at.online, to: gone },
    ...busy,
  ];
}

/** Each stretch has a cell at least, which the next one may cover. */
function barOf(stretches: readonly Stretch[], begin: number, last: number): string {
  const cells = Array<string>(WIDTH).fill(" ");
  const cellOf = (moment: number) => Math.floor(((moment - begin) / Math.max(1, last - begin)) * WIDTH);
  for (const { from, mark, to } of stretches) {
    if (from === undefined || to === undefined) continue;
    const first = Math.max(0, Math.min(WIDTH - 1, cellOf(from)));
    cells.fill(mark, first, Math.max(first + 1, cellOf(to)));
  }
  return cells.join("");
}

/** Such as `booting 1m 33s, starting 45s, busy 5m`: the time without a job is what is left. */
function inWords(stretches: readonly Stretch[]): string {
  const sums = new Map<string, number>();
  for (const { from, name, to } of stretches)
    if (from !== undefined && to !== undefined) sums.set(name, (sums.get(name) ?? 0) + Math.max(0, to - from));
  const ready = sums.get("ready");
  if (ready !== undefined) sums.set("ready", Math.max(0, ready - (sums.get("busy") ?? 0)));
  const told = [...sums].filter(([, milliseconds]) => milliseconds >= 1000);
  return told.map(([name, milliseconds]) => `${name} ${formatDuration(milliseconds)}`).join(", ");
}
