import { spawnSync } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { ACTION } from "../support/built-action.ts";
import { costOfLooks } from "./looks.ts";
import { median } from "./statistics.ts";

/**
 * `npm run bench`: what starts and looks cost. Times of one machine say little about another's; the ratios and the
 * distance to the target do.
 */

const MANY = 16;
const ROUNDS = 9;

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

/** How long a process takes, start to end, in milliseconds. */
function timed(args: string[]): number {
  const start = performance.now();
  spawnSync(process.execPath, args, { env: { PATH: process.env.PATH }, stdio: "ignore" });
  return performance.now() - start;
}

/**
 * Whole processes in turn, so that the machine's mood hits all alike: an empty Node, and each entry
 * up to its first refusal (no inputs).
 */
function entryStarts(): { empty: number; main: number; post: number } {
  const samples = { empty: [] as number[], main: [] as number[], post: [] as number[] };
  for (let round = 0; round < ROUNDS; round += 1) {
    samples.empty.push(timed(["--eval", ""]));
    samples.main.push(timed([join(ACTION, "dist/main.js")]));
    samples.post.push(timed([join(ACTION, "dist/post.js")]));
  }
  return { empty: median(samples.empty), main: median(samples.main), post: median(samples.post) };
}

/** All of dist, in megabytes. */
function distMegabytes(): number {
  const folder = join(ACTION, "dist");
  return readdirSync(folder).reduce((sum, file) => sum + statSync(join(folder, file)).size, 0) / 1e6;
}
