import { distMegabytes, entryStarts } from "./entry-start.ts";
import { costOfLooks } from "./looks.ts";

/**
 * `npm run bench`: what starts and looks cost. Times of one machine say little about another's; the ratios and the
 * distance to the target do.
 */

const MANY = 16;

const starts = entryStarts();
const looks = await costOfLooks(MANY);

const rows: [string, string, string][] = [
  ["start of main, against an empty Node", againstEmpty(starts.main), "× 4"],
  ["start of post, against an empty Node", againstEmpty(starts.post), "× 3"],
  ["an empty Node", ms(starts.empty), "–"],
  ["dist", `${distMegabytes().toFixed(2)} MB`, "4 MB"],
  [`a look with ${MANY} machines, against a look with one`, times(looks.manyAgainstOne), times(MANY)],
  ["10,000 events replayed, against 1,000 looks with as many machines", times(looks.replayAgainstLooks), "× 1.0"],
];
console.log(`${"measured".padEnd(68)}${"value".padEnd(20)}target`);
for (const [what, value, target] of rows) console.log(`${what.padEnd(68)}${value.padEnd(20)}${target}`);

function times(value: number): string {
  return `× ${value.toFixed(1)}`;
}

function againstEmpty(value: number): string {
  return `${ms(value)} (× ${(value / starts.empty).toFixed(1)})`;
}

function ms(value: number): string {
  return `${Math.round(value)} ms`;
}
