import type { StageTimes } from "../../machine/report.ts";
import { formatDuration } from "../../time/duration.ts";

const LONGEST_BAR = 30;

/** Time of each ended stage, in order, in milliseconds; `end` counts for one that is not gone. */
export function stagesOf(at: StageTimes, end: number): [name: string, milliseconds: number][] {
  const { searched, asked, created, running, online } = at;
  const gone = at.gone ?? end;
  const stages: [string, number | undefined, number | undefined][] = [
    ["search", searched, asked],
    ["create", asked, created],
    ["boot", created, running ?? gone],
    ["online", running, online ?? gone],
    ["job", online, gone],
  ];
  return stages.flatMap(([name, from, to]): [string, number][] =>
    from === undefined || to === undefined ? [] : [[name, Math.max(0, to - from)]],
  );
}

/** The stages as bars of text, one a line, scaled to the longest. */
export function stageBars(stages: readonly (readonly [name: string, milliseconds: number])[]): string[] {
  const longest = Math.max(1, ...stages.map(([, milliseconds]) => milliseconds));
  const times = stages.map(([, milliseconds]) => formatDuration(milliseconds));
  const width = Math.max(0, ...times.map((time) => time.length));
  return stages.map(([name, milliseconds], index) => {
    // A stage that took no time to speak of is still to be seen.
    const bar = "█".repeat(Math.round((milliseconds / longest) * LONGEST_BAR)) || "▏";
    return `${name.padEnd(6)}  ${(times[index] ?? "").padStart(width)}  ${bar}`;
  });
}
