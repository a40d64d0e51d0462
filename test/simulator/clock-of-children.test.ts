import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempDisposableSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { scaledClock } from "../../simulator/clock/sim-clock.ts";

const PRELOAD = new URL("../../simulator/clock/preload.mjs", import.meta.url).href;
const MACHINE = new URL("../../simulator/machine/", import.meta.url).pathname;

/** An hour of a child's life takes a tenth of a second: an unscaled timer makes it time out. */
const clock = scaledClock(36_000);
const HOUR_MS = 3_600_000;

/** Runs the text as a module in a Node that has the preload; returns what it printed as JSON. */
async function runInChild(code: string, env: Record<string, string> = clock.childEnv()): Promise<unknown> {
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", code], {
    env: { PATH: process.env.PATH, NODE_OPTIONS: `--import=${PRELOAD}`, ...env },
  });
  return JSON.parse(stdout);
}

/** All ways to wait for HOUR, at once: how long each took by `Date` and by `performance`. */
const WAYS = `
import timers, { promises, setTimeout as set } from "node:timers";
import { scheduler, setInterval as every, setTimeout as wait } from "node:timers/promises";
import { setTimeout as bare } from "timers/promises";
import { createRequire } from "node:module";
import { promisify } from "node:util";
const until = (start) => new Promise(start);
const twice = async (turns) => { let n = 0; for await (const _ of turns) if (++n === 2) break; };
const ways = {
  "the global setTimeout": () => until((done) => setTimeout(done, HOUR)),
  "a timer that is started anew": () => until((done) => setTimeout(done, HOUR).refresh()),
  "node:timers": () => until((done) => set(done, HOUR)),
  "its default import": () => until((done) => timers.setTimeout(done, HOUR)),
  "node:timers/promises": () => wait(HOUR),
  "timers/promises without node:": () => bare(HOUR),
  "promises of node:timers": () => promises.setTimeout(HOUR),
  "require": () => createRequire("/")("timers/promises").setTimeout(HOUR),
  "util.promisify(setTimeout)": () => promisify(setTimeout)(HOUR),
  "scheduler.wait": () => scheduler.wait(HOUR),
  "setInterval": () => until((done) => { let n = 0; const i = setInterval(() => ++n === 2 && done(clearInterval(i)), HOUR / 2); }),
  "setInterval of node:timers/promises": () => twice(every(HOUR / 2)),
  "AbortSignal.timeout": () => until((done) => { AbortSignal.timeout(HOUR).onabort = done; }),
};
const alive = setInterval(() => {}, 1e9);
const took = await Promise.all(Object.entries(ways).map(async ([way, wait]) => {
  const date = Date.now(), start = performance.now();
  await wait();
  return [way, Date.now() - date, performance.now() - start];
}));
clearInterval(alive);
console.log(JSON.stringify(took));`;

test("scales every way to wait, and none is early", async () => {
  const took = (await runInChild(WAYS.replaceAll("HOUR", String(HOUR_MS)))) as [way: string, ...number[]][];
  expect(took).toHaveLength(13);
  expect(took.filter(([, ...waits]) => Math.min(...waits) < HOUR_MS)).toEqual([]);
});

test("refuses to start a process whose time is not known", async () => {
  const wrong = { SIM_TIME_FACTOR: "fast", SIM_TIME_ORIGIN: "1" };
  await expect(runInChild("", wrong)).rejects.toThrow("SIM_TIME_FACTOR must be a number above 0");
  await expect(runInChild("", { SIM_TIME_FACTOR: "20" })).rejects.toThrow("SIM_TIME_ORIGIN");
});

/** The simulator's word: when it was written, and what was lost until then. */
const lived = (writtenMs: number, lostMs: number) =>
  [writtenMs, lostMs].map((ms) => String(ms * 1000).padStart(16, "0")).join(" ");

/** As if it were written all the time, for the next years. */
const ALWAYS_MS = 9e12;
const FACTOR = 600;
const FILE = "lived";

/** Runs a program that takes the file FILE's word for what was lost of the time since `origin`. */
async function runInWorld(origin: number, said: string, program: string, args: readonly string[]) {
  using world = mkdtempDisposableSync(join(tmpdir(), "lost-time-"));
  const folder = world.path;
  const file = join(folder, FILE);
  writeFileSync(file, `${said}\n`);
  const settings = {
    ...{ SIM_FACTOR_MICRO: FACTOR * 1e6, SIM_ORIGIN_US: origin * 1000, SIM_CLOCK_OFFSET_US: 0 },
    ...{ SIM_LIVED_FILE: file, SIM_LIB: `${MACHINE}lib`, SIM_HOST_SLEEP: "/bin/sleep", SIM_HOST_DATE: "/bin/date" },
  };
  mkdirSync(join(folder, "sim"));
  cpSync(join(MACHINE, "bin"), join(folder, "bin"), { recursive: true });
  const lines = Object.entries(settings).map((entry) => entry.join("="));
  writeFileSync(join(folder, "sim/settings.bash"), lines.join("\n"));
  const clock = scaledClock(FACTOR, origin, { now: Date.now, file });
  const env = { PATH: process.env.PATH, ...clock.childEnv(), SIM_MACHINE: `${folder}/`, LIB: join(MACHINE, "lib") };
  const before = performance.now();
  const { stdout } = await promisify(execFile)(program, args, {
    cwd: folder,
    env: program === process.execPath ? { ...env, NODE_OPTIONS: `--import=${PRELOAD}` } : env,
  });
  return { tookMs: performance.now() - before, stdout };
}

// Ten simulated minutes are one second: with one more that is lost as soon as they have begun, two.
const TEN = 600_000;
const TWO_LOST = lived(ALWAYS_MS, 2000);

const WRITES = `require("node:fs").writeFileSync("${FILE}", "${TWO_LOST}\\n")`;
const ABORTS = `const i = setInterval(() => {}, 1e9); AbortSignal.timeout(${TEN}).onabort = () => clearInterval(i)`;
const IN_BASH = (wait: string) => `{ /bin/sleep 0.3; echo '${TWO_LOST}' >${FILE}; } & ${wait}; true`;
test.concurrent.for([
  ["a timer of a child", process.execPath, "--eval", `setTimeout(() => {}, ${TEN}); ${WRITES}`],
  ["AbortSignal.timeout of a child", process.execPath, "--eval", `${ABORTS}; ${WRITES}`],
  ["sleep of a machine", "bash", "-c", IN_BASH("bin/sleep 10m")],
  ["read -t of a machine", "bash", "-c", IN_BASH(`source "$LIB/bash-env.bash"; read -r -t 600 _ <> <(:)`)],
] as const)("%s waits on in lost time", async ([, program, ...args]) => {
  const { tookMs } = await runInWorld(Date.now() - 1000, lived(ALWAYS_MS, 1000), program, args);
  expect(tookMs).toBeGreaterThanOrEqual(2000);
});

test.each([
  ["a child", process.execPath, ["--eval", "console.log(Date.now())"]],
  ["a machine", "bash", ["-c", "bin/date +%s%3N"]],
])("the time of %s goes on for 40 ms after the simulator's last word", async (_what, program, args) => {
  const origin = Date.now() - 60_000;
  const { stdout } = await runInWorld(origin, lived(origin + 10_000, 4000), program, args);
  expect(Number(stdout)).toBe(origin + (10_040 - 4000) * FACTOR);
});
