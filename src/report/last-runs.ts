import { NOT_REPORTED } from "../gpu-figures/show.ts";
import { formatPrice } from "../money/price.ts";
import type { TrendRow } from "../release/ledger.ts";
import { formatDuration } from "../shared/duration.ts";
import { markdownTable } from "../shared/text.ts";

/** How many runs the summary's table has. */
const MOST_SHOWN_RUNS = 10;

/** Makes a table of the last runs in Markdown, with cost, wait and boot of each; empty for one run alone. */
export function trendTable(rows: readonly TrendRow[]): string[] {
  if (rows.length < 2) return [];
  const shown = rows
    .slice(-MOST_SHOWN_RUNS)
    .map(({ at, bootSeconds, run, usd, waitSeconds }) => [
      String(run),
      new Date(at).toISOString().slice(0, 16).replace("T", " "),
      formatPrice(usd),
      lengthOf(waitSeconds),
      lengthOf(bootSeconds),
    ]);
  return [
    `The last ${shown.length} runs:`,
    "",
    ...markdownTable([["run", "ended (UTC)", "cost", "wait", "boot"], ...shown]),
  ];
}

function lengthOf(seconds: number | undefined): string {
  return seconds === undefined ? NOT_REPORTED : formatDuration(seconds * 1000);
}
