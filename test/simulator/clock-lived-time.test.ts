import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempDisposableSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { countLivedTime, lostIn } from "../../simulator/clock/lived-time.ts";
import { scaledClock } from "../../simulator/clock/sim-clock.ts";

const PRELOAD = new URL("../../simulator/clock/preload.mjs", import.meta.url).href;
const MACHINE = new URL("../../simulator/machine/", import.meta.url).pathname;

test.each([
  ["nothing, while three share a core", 20, { runnable: 6, cores: 2 }, 0],
  ["nothing, when nobody wants a core", 20, { runnable: 0, cores: 2 }, 0],
  ["two thirds, with nine processes to a core", 30, { runnable: 18, cores: 2 }, 20],
  ["all but two looks' time, when the looking process could not run", 500, { runnable: 1, cores: 2 }, 460],
])("%s, is lost", (_what, elapsedMs, load, lost) => expect(lostIn(elapsedMs, load)).toBeCloseTo(lost, 9));

test("while the simulator's own process can't run, time stands still for all of its world", () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "lost-time-"));
  using lived = countLivedTime(join(folder.path, "lived"));
  const before = lived.now();
  const until = performance.now() + 300;
  while (performance.now() < until);
  expect(lived.now() - before).toBeLessThanOrEqual(40);
});

test("what was lost is in the file, with the time of its writing", async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "lost-time-"));
  using lived = countLivedTime(join(folder.path, "lived"));
  const until = performance.now() + 300;
  while (performance.now() < until);
  const read = () =>
    readFileSync(lived.file, "utf8")
      .split(" ")
      .map((us) => Number(us) / 1000);
  await expect.poll(() => read()[1], { timeout: 60_000 }).toBeGreaterThan(200);
  expect(Math.abs(Date.now() - Number(read()[0]))).toBeLessThan(5000);
});

test("the clock stands still in lost time, and never goes back", () => {
  let now = Date.now();
  const clock = scaledClock(20, now - 1000, { now: () => now, file: "" });
  const before = clock.now();
  now -= 600;
  expect(clock.now()).toBe(before);
  now += 601;
  expect(clock.now()).toBe(before + 20);
});

/** The simulator's word: when it was written, and what was lost until then. */
const lived = (writtenMs: number, lostMs: number) =>
  [writtenMs, lostMs].map((ms) => String(ms * 1000).padStart(16, "0")).join(" ");

/** As if it were written all the time, for the next years. */
const ALWAYS_MS = 9e12;
const FACTOR = 600;
const FILE = "lived";

/** Runs a program that takes the file FILE's word for what was lost of the time since `origin`. */
async function runInWorld(origin: number, said: string, program: string, args: string[]) {
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

test.concurrent.for([
  ["setTimeout", `setTimeout(() => {}, ${TEN})`],
  ["setInterval", `const i = setInterval(() => clearInterval(i), ${TEN})`],
  ["setTimeout of node:timers/promises", `require("node:timers/promises").setTimeout(${TEN})`],
  ["setInterval of node:timers/promises", `require("node:timers/promises").setInterval(${TEN}).next()`],
  [
    "AbortSignal.timeout",
    `const i = setInterval(() => {}, 1e9); AbortSignal.timeout(${TEN}).onabort = () => clearInterval(i)`,
  ],
  ["a timer that is started anew", `const t = setTimeout(() => {}, ${TEN}); t.refresh()`],
])("%s of a child waits on in lost time", async ([, code]) => {
  const whole = `${code}; require("node:fs").writeFileSync("${FILE}", "${TWO_LOST}\\n")`;
  const said = lived(ALWAYS_MS, 1000);
  const { tookMs } = await runInWorld(Date.now() - 1000, said, process.execPath, ["--eval", whole]);
  expect(tookMs).toBeGreaterThanOrEqual(2000);
});

test.concurrent.for([
  ["sleep", "bin/sleep 10m"],
  ["read -t", `source "$LIB/bash-env.bash"; read -r -t 600 _ <> <(:)`],
])("%s of a machine waits on in lost time", async ([, wait]) => {
  const whole = `{ /bin/sleep 0.3; echo '${TWO_LOST}' >${FILE}; } & ${wait}; true`;
  const { tookMs } = await runInWorld(Date.now() - 1000, lived(ALWAYS_MS, 1000), "bash", ["--norc", "-c", whole]);
  expect(tookMs).toBeGreaterThanOrEqual(2000);
});

test.each([
  ["a child", process.execPath, ["--eval", "console.log(Date.now())"]],
  ["a machine", "bash", ["--norc", "-c", "bin/date +%s%3N"]],
])("the time of %s goes on for 40 ms after the simulator's last word", async (_what, program, args) => {
  const origin = Date.now() - 60_000;
  const { stdout } = await runInWorld(origin, lived(origin + 10_000, 4000), program, args);
  expect(Number(stdout)).toBe(origin + (10_040 - 4000) * FACTOR);
});
