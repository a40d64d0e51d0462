import type { Fleet } from "../fleet/state/fleet.ts";
import type { Clock } from "../shared/clock.ts";
import type { Log } from "../shared/log.ts";
import { textTable } from "../shared/table.ts";
import { machineTable, type NumberedReport } from "./machine-table.ts";

/** Tells each machine's fate at the end of this scope, if several were rented or one failed. */
export function tellMachinesAtEnd({ log, clock }: { log: Log; clock: Clock }, fleet: Readonly<Fleet>): Disposable {
  return {
    [Symbol.dispose]() {
      const attempts = fleet.machines.flatMap(({ n, report }) => (report === undefined ? [] : [{ n, report }]));
      const taken = fleet.taken.length;
      if (attempts.length < 2 && !attempts.some(hasFailed)) return;
      for (const line of attemptLines(attempts, taken, clock.now())) log.info(line);
    },
  };
}

/** These are on their way, or did what they were rented for. */
const NOT_FAILED: readonly string[] = ["created", "ready", "gave itself back"];

function hasFailed({ report }: NumberedReport): boolean {
  return !NOT_FAILED.includes(report.last);
}

/** The machines as an aligned table of plain text; `end` in milliseconds since the epoch. */
export function attemptLines(machines: readonly NumberedReport[], taken: number, end: number): string[] {
  const lines = textTable(machineTable(machines, end));
  return ["The machines of this use:", ...lines.map((line) => `  ${line}`), ...takenLine(taken)];
}

/** How many offers were gone, in a line, if any. */
export function takenLine(taken: number): string[] {
  if (taken === 0) return [];
  return [
    taken === 1 ? "1 offer was gone when it was asked for." : `${taken} offers were gone when they were asked for.`,
  ];
}
