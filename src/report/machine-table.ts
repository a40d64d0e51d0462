import { recordsOfMachine } from "../fleet/recording/records.ts";
import { offersGone } from "../fleet/renting/failures.ts";
import type { Fleet } from "../fleet/state.ts";
import type { MachineRecord } from "../machine/record.ts";
import { actualCost } from "../money/cost.ts";
import { formatPrice } from "../money/price.ts";
import type { Clock } from "../shared/clock.ts";
import { formatDuration } from "../shared/duration.ts";
import { oneLine } from "../shared/foreign-text.ts";
import type { Log } from "../shared/log.ts";
import { type Table, textTable } from "../shared/text.ts";
import { jobCosts } from "./receipt.ts";

/** A machine by its number in the log. */
export interface NumberedRecord {
  machineNo: number;
  record: MachineRecord;
}

/** `end`: now, in milliseconds since the epoch. */
interface TableRow extends NumberedRecord {
  end: number;
}

const COLUMNS: readonly [title: string, cell: (row: TableRow) => string][] = [
  ["#", ({ machineNo }) => String(machineNo)],
  ["machine", ({ record }) => String(record.offer.machineId ?? "unknown")],
  ["offer", ({ record }) => String(record.offer.id)],
  ["instance", ({ record }) => String(record.instanceId)],
  ["GPU", ({ record }) => gpuOf(record)],
  ["price per hour", ({ record }) => formatPrice(record.price.total)],
  ["got to", ({ record }) => recordStage(record)],
  ["rented for", rentedFor],
  ["cost", ({ record, end }) => formatPrice(actualCost(record, end).total)],
  ["jobs", jobsOfRow],
  // The last column, because it may be long.
  ["why it ended", ({ record }) => oneLine(record.last, 120)],
];

/**
 * Makes the table of machines with their fates and jobs. Foreign text in it is one line, but not
 * harmless in Markdown.
 */
export function machineTable(machines: readonly NumberedRecord[], end: number): Table {
  const rows = machines.map((machine) => COLUMNS.map(([, cell]) => cell({ ...machine, end })));
  return [COLUMNS.map(([title]) => title), ...rows];
}

/** Names a machine's GPUs, such as `1 × RTX 4090`. */
export function gpuOf({ offer }: MachineRecord): string {
  return `${offer.numGpus} × ${oneLine(offer.gpuName, 60)}`;
}

function recordStage({ at, last }: MachineRecord): string {
  if (at.online !== undefined || last === "ready") return "ready";
  return at.running === undefined ? "created" : "running";
}

function rentedFor({ record: { at }, end }: TableRow): string {
  return at.created === undefined ? "–" : formatDuration((at.gone ?? end) - at.created);
}

/** Lists a machine's jobs, such as `test (3.12): success, 5m, 0.25 USD`. A spare is one that no job needed. */
function jobsOfRow({ record, end }: TableRow): string {
  const { isUnneeded, jobs = [] } = record;
  const costs = jobCosts(record, end);
  const shown = jobs.map(({ conclusion = "not seen to end", name, seconds }, index) => {
    const time = seconds === undefined ? [] : [formatDuration(seconds * 1000)];
    return `${oneLine(name, 100)}: ${[conclusion, ...time, formatPrice(costs[index] ?? 0)].join(", ")}`;
  });
  return shown.join("; ") || (isUnneeded ? "spare" : "–");
}

/** Logs each machine's fate at the end of this scope, if several were rented or one failed. */
export function logMachinesAtEnd({ log, clock }: { log: Log; clock: Clock }, fleet: Fleet): Disposable {
  return {
    [Symbol.dispose]() {
      const attempts = fleet.machines.flatMap((machine) =>
        recordsOfMachine(machine).map((record) => ({ machineNo: machine.machineNo, record })),
      );
      const taken = offersGone(fleet);
      if (attempts.length < 2 && !attempts.some(isFailure)) return;
      for (const line of attemptLines(attempts, taken, clock.now())) log.info(line);
    },
  };
}

/** Last states of machines that did not fail. */
const NOT_FAILED: readonly string[] = ["created", "ready", "gave itself back"];

function isFailure({ record }: NumberedRecord): boolean {
  return !NOT_FAILED.includes(record.last);
}

/** Writes the machines as an aligned table of plain text. `end`: milliseconds since the epoch. */
export function attemptLines(machines: readonly NumberedRecord[], taken: number, end: number): string[] {
  const lines = textTable(machineTable(machines, end));
  return ["The machines of this session:", ...lines.map((line) => `  ${line}`), ...takenLine(taken)];
}

/** Says how many offers were gone; empty if none. */
export function takenLine(taken: number): string[] {
  if (taken === 0) return [];
  return [
    taken === 1 ? "1 offer was gone when it was asked for." : `${taken} offers were gone when they were asked for.`,
  ];
}

const TIMELINE_WIDTH = 40;
const LEGEND = "· asked  ░ booting  ▒ starting  ─ ready  █ busy";

interface Stretch {
  name: string;
  mark: string;
  from: number | undefined;
  to: number | undefined;
}

/** Draws a text bar for each machine on one axis of time, and says how long its stages took. `end`: now. */
export function timelines(machines: readonly NumberedRecord[], end: number): string[] {
  const begin = Math.min(...machines.map(({ record }) => record.at.asked));
  const last = Math.max(...machines.map(({ record }) => record.at.gone ?? end));
  const span = formatDuration(last - begin);
  const axis = ["", `0s${span.padStart(TIMELINE_WIDTH - 2)}`, ""];
  const rows: Table = machines.map(({ machineNo, record }) => {
    const stretches = stretchesOf(record, end);
    return [`machine ${machineNo}`, timelineOf(stretches, begin, last), stretchWords(stretches)];
  });
  return rows.length === 0 ? [] : [...textTable([axis, ...rows]), LEGEND];
}

/** Lists a machine's stretches in the order in which they are drawn: later ones cover earlier ones. */
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

/** Draws one machine's bar. Each stretch has at least one cell, which the next one may cover. */
function timelineOf(stretches: readonly Stretch[], begin: number, last: number): string {
  const cells = Array<string>(TIMELINE_WIDTH).fill(" ");
  const cellOf = (moment: number) => Math.floor(((moment - begin) / Math.max(1, last - begin)) * TIMELINE_WIDTH);
  for (const { from, mark, to } of stretches) {
    if (from === undefined || to === undefined) continue;
    const first = Math.max(0, Math.min(TIMELINE_WIDTH - 1, cellOf(from)));
    cells.fill(mark, first, Math.max(first + 1, cellOf(to)));
  }
  return cells.join("");
}

/** Says how long each stage took, such as `booting 1m 33s, starting 45s, busy 5m`. Ready is the time without a job. */
function stretchWords(stretches: readonly Stretch[]): string {
  const sums = new Map<string, number>();
  for (const { from, name, to } of stretches)
    if (from !== undefined && to !== undefined) sums.set(name, (sums.get(name) ?? 0) + Math.max(0, to - from));
  const ready = sums.get("ready");
  if (ready !== undefined) sums.set("ready", Math.max(0, ready - (sums.get("busy") ?? 0)));
  const shown = [...sums].filter(([, milliseconds]) => milliseconds >= 1000);
  return shown.map(([name, milliseconds]) => `${name} ${formatDuration(milliseconds)}`).join(", ");
}
