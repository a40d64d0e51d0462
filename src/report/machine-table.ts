import { recordsOfMachine } from "../fleet/recording/records.ts";
import { offersGone } from "../fleet/renting/failures.ts";
import type { Fleet } from "../fleet/state.ts";
import { JOBS_OVER, type MachineRecord, type RanJob } from "../machine/record.ts";
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
  numbers: ReadonlyMap<RanJob, number>;
  shows: Shows;
}

const COLUMNS: readonly [title: string, cell: (row: TableRow) => string][] = [
  ["#", ({ machineNo }) => String(machineNo)],
  ["host", ({ record }) => String(record.offer.machineId ?? "unknown")],
  ["offer", ({ record }) => String(record.offer.id)],
  ["instance", ({ record }) => String(record.instanceId)],
  ["GPU", ({ record }) => gpuOf(record)],
  ["price per hour", ({ record }) => formatPrice(record.price.total)],
  ["rented for", rentedFor],
  ["stages", stagesOf],
  ["cost", ({ record, end }) => formatPrice(actualCost(record, end).total)],
  ["jobs", jobsOfRow],
  // The last column, because it may be long.
  ["why it ended", ({ record }) => oneLine(record.last)],
];

/** How a table shows foreign text, and a job's name: as it is, or harmless and with a link in Markdown. */
export interface Shows {
  text: (text: string) => string;
  job: (job: RanJob) => string;
}

const PLAIN: Shows = { text: (text) => text, job: ({ name }) => oneLine(name, 100) };

/** Makes the table of machines with their fates and jobs. Foreign text in it is one line. */
export function machineTable(machines: readonly NumberedRecord[], end: number, shows = PLAIN): Table {
  const numbers = jobNumbers(machines);
  const rows = machines.map((machine) => {
    const row = { ...machine, end, numbers, shows };
    return COLUMNS.map(([, cell]) => (cell === jobsOfRow ? cell(row) : shows.text(cell(row))));
  });
  return [COLUMNS.map(([title]) => title), ...rows];
}

/** Names a machine's GPUs, such as `1 × RTX 4090`. */
export function gpuOf({ offer }: MachineRecord): string {
  return `${offer.numGpus} × ${oneLine(offer.gpuName, 60)}`;
}

function rentedFor({ record: { at }, end }: TableRow): string {
  return at.created === undefined ? "–" : formatDuration((at.gone ?? end) - at.created);
}

/** Lists a machine's jobs, such as `test (3.12): success, 5m, 0.25 USD`. A spare is one that no job needed. */
function jobsOfRow({ record, end, numbers, shows: { job, text } }: TableRow): string {
  const { isUnneeded, jobs = [] } = record;
  const costs = jobCosts(record, end);
  const shown = jobs.map((ran, index) => {
    const { conclusion = "not seen to end", seconds } = ran;
    const time = seconds === undefined ? [] : [formatDuration(seconds * 1000)];
    const how = [text(conclusion), ...time, formatPrice(costs[index] ?? 0)].join(", ");
    return `job ${numbers.get(ran)}, ${job(ran)}: ${how}`;
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
      if (attempts.length < 2 && attempts.every(({ record }) => NOT_FAILED.includes(record.last))) return;
      for (const line of attemptLines(attempts, offersGone(fleet), clock.now())) log.info(line);
    },
  };
}

/** Last states of machines that did not fail. */
const NOT_FAILED: readonly string[] = ["created", "ready", "busy", JOBS_OVER, "gave itself back"];

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

/** Numbers the jobs of all machines in the order in which they began. */
export function jobNumbers(machines: readonly NumberedRecord[]): ReadonlyMap<RanJob, number> {
  const jobs = machines.flatMap(({ record }) => record.jobs ?? []);
  const inOrder = jobs.toSorted((one, other) => (one.started ?? Infinity) - (other.started ?? Infinity) || 0);
  return new Map(inOrder.map((job, index) => [job, index + 1]));
}

/** Says how long each stage took, such as `booting 1m 33s, starting 45s, busy 5m`. Ready is the time without a job. */
function stagesOf({ record, end }: TableRow): string {
  const { at, jobs = [] } = record;
  const gone = at.gone ?? end;
  const busy = jobs.map(({ seconds = Number.POSITIVE_INFINITY, started = gone }) =>
    Math.max(0, Math.min(gone - started, seconds * 1000)),
  );
  const work = busy.reduce((sum, each) => sum + each, 0);
  const lengths: [name: string, from: number | undefined, to: number, less?: number][] = [
    ["booting", at.created, at.running ?? gone],
    ["starting", at.running, at.online ?? gone],
    ["ready", at.online, gone, work],
    ["busy", work > 0 ? 0 : undefined, work],
  ];
  const shown = lengths.flatMap(([name, from, to, less = 0]) =>
    from === undefined || to - from - less < 1000 ? [] : [`${name} ${formatDuration(to - from - less)}`],
  );
  return shown.join(", ") || "–";
}
