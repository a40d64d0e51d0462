import { formatPrice } from "../money/price.ts";
import { formatDuration } from "../shared/duration.ts";
import { markdownTable } from "../shared/text.ts";
import type { TrendRow } from "../teardown/ledger.ts";
import { NOT_REPORTED } from "./gpu-figures.ts";

/** How many runs the summary's table has. */
const MOST_ROWS = 10;

/** Makes a table of the last runs in Markdown, with cost, wait and boot of each; empty for one run alone. */
export function trendTable(rows: readonly TrendRow[]): string[] {
  if (rows.length < 2) return [];
  const shown = rows
    .slice(-MOST_ROWS)
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
  return seconds === undefined ? NOT_REPORTED : inSeconds(seconds);
}

/** A curve of the picture. */
interface Curve {
  title: string;
  colour: string;
  value: (row: TrendRow) => number | undefined;
  inWords: (value: number) => string;
}

const CURVES: readonly Curve[] = [
  { title: "cost", colour: "#8250df", value: ({ usd }) => usd, inWords: formatPrice },
  { title: "wait", colour: "#0969da", value: ({ waitSeconds }) => waitSeconds, inWords: inSeconds },
  { title: "boot", colour: "#1a7f37", value: ({ bootSeconds }) => bootSeconds, inWords: inSeconds },
];

function inSeconds(seconds: number): string {
  return formatDuration(seconds * 1000);
}

const WIDTH = 720;
const HEIGHT = 120;
const MARGIN = 20;

/**
 * Draws the last runs as SVG, with a curve each for cost, wait and boot. It has numbers and our own
 * words alone, no script, and loads nothing. Undefined for one run alone.
 */
export function trendPicture(rows: readonly TrendRow[]): string | undefined {
  if (rows.length < 2) return undefined;
  const height = CURVES.length * (HEIGHT + MARGIN) + MARGIN;
  const curves = CURVES.map((curve, index) => curveOf(curve, rows, MARGIN + index * (HEIGHT + MARGIN)));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" font-family="sans-serif" font-size="12">
<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>
${curves.join("\n")}
${axisOf(rows, height - 4)}
</svg>
`;
}

/** Draws one curve, with a dot for each run. A run without the figure breaks it: a gap is not 0. */
function curveOf({ colour, inWords, title, value }: Curve, rows: readonly TrendRow[], top: number): string {
  const values = rows.map(value);
  const known = values.filter((each) => each !== undefined);
  const most = Math.max(...known, Number.MIN_VALUE);
  const points = values.flatMap((each, index) => {
    if (each === undefined) return [];
    const x = (MARGIN + (index / (rows.length - 1)) * (WIDTH - 2 * MARGIN)).toFixed(1);
    const y = (top + HEIGHT - (each / most) * (HEIGHT - MARGIN)).toFixed(1);
    return [{ x, y, move: values[index - 1] === undefined ? "M" : "L" }];
  });
  const last = known.at(-1);
  const words = last === undefined ? NOT_REPORTED : `${inWords(last)} last, ${inWords(most)} at most`;
  return [
    `<text x="${MARGIN}" y="${top + 12}" fill="${colour}">${title}: ${words}</text>`,
    `<path d="${points.map(({ move, x, y }) => `${move}${x},${y}`).join(" ")}" fill="none" stroke="${colour}" stroke-width="2"/>`,
    ...points.map(({ x, y }) => `<circle cx="${x}" cy="${y}" r="3" fill="${colour}"/>`),
    `<line x1="${MARGIN}" y1="${top + HEIGHT}" x2="${WIDTH - MARGIN}" y2="${top + HEIGHT}" stroke="#d0d7de"/>`,
  ].join("\n");
}

/** Names the first and the last run below the curves. */
function axisOf(rows: readonly TrendRow[], y: number): string {
  const [first, last] = [rows[0], rows.at(-1)].map((row) => (row === undefined ? "" : `run ${row.run}, ${dayOf(row)}`));
  return `<text x="${MARGIN}" y="${y}" fill="#59636e">${first}</text>
<text x="${WIDTH - MARGIN}" y="${y}" fill="#59636e" text-anchor="end">${last}</text>`;
}

function dayOf({ at }: TrendRow): string {
  return new Date(at).toISOString().slice(0, 10);
}
