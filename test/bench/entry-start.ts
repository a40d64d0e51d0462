import { spawnSync } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { ACTION } from "../support/built-action.ts";
import { median } from "./statistics.ts";

const ROUNDS = 9;

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
export function entryStarts(): { empty: number; main: number; post: number } {
  const samples = { empty: [] as number[], main: [] as number[], post: [] as number[] };
  for (let round = 0; round < ROUNDS; round += 1) {
    samples.empty.push(timed(["--eval", ""]));
    samples.main.push(timed([join(ACTION, "dist/main.js")]));
    samples.post.push(timed([join(ACTION, "dist/post.js")]));
  }
  return { empty: median(samples.empty), main: median(samples.main), post: median(samples.post) };
}

/** All of dist, in megabytes. */
export function distMegabytes(): number {
  const folder = join(ACTION, "dist");
  return readdirSync(folder).reduce((sum, file) => sum + statSync(join(folder, file)).size, 0) / 1e6;
}
