import type { Fleet } from "../../fleet/state/fleet.ts";
import type { Log } from "../../log.ts";
import type { Report } from "../../machine/report.ts";
import { oneLine } from "../../text/foreign-text.ts";
import type { Clock } from "../../time/clock.ts";
import { type Attempt, attemptOf } from "./attempt.ts";

const COLUMNS: readonly [title: string, cell: keyof Attempt][] = [
  ["#", "n"],
  ["machine", "machine"],
  ["offer", "offer"],
  ["GPU", "gpu"],
  ["price", "price"],
  ["got to", "gotTo"],
  ["rented for", "rentedFor"],
  // The last one: it may be long, and nothing stands behind it.
  ["why it ended", "why"],
];

/** Tells each machine's fate at the end of this scope, if several were rented or one failed. */
export function tellMachinesAtEnd({ log, clock }: { log: Log; clock: Clock }, fleet: Readonly<Fleet>): Disposable {
  return {
    [Symbol.dispose]() {
      const attempts = fleet.machines.flatMap(({ report }) => (report === undefined ? [] : [report]));
      const taken = fleet.taken.length;
      if (attempts.length < 2 && !attempts.some(hasFailed)) return;
      for (const line of attemptLines(attempts, taken, clock.now())) log.info(line);
    },
  };
}

/** These are on their way, or did what they were rented for. */
const NOT_FAILED: readonly string[] = ["created", "ready", "gave itself back"];

function hasFailed({ last }: Report): boolean {
  return !NOT_FAILED.includes(last);
}

/** The machines as an aligned table of plain text; `end` in milliseconds since the epoch. */
export function attemptLines(reports: readonly Report[], taken: number, end: number): string[] {
  const rows = reports.map((report, index) => attemptOf(report, index, end));
  const cells = rows.map((row) => COLUMNS.map(([, cell]) => oneLine(row[cell], 120)));
  const table = [COLUMNS.map(([title]) => title), ...cells];
  const widths = COLUMNS.map((_column, index) => Math.max(...table.map((row) => row[index]?.length ?? 0)));
  const lines = table.map((row) => row.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join("  "));
  return ["The machines of this use:", ...lines.map((line) => `  ${line.trimEnd()}`), ...takenLine(taken)];
}

/** How many offers were gone, in a line, if any. */
export function takenLine(taken: number): string[] {
  if (taken === 0) return [];
  return [
    taken === 1 ? "1 offer was gone when it was asked for." : `${taken} offers were gone when they were asked for.`,
  ];
}
