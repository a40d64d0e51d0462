import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { countLostTime, lostIn } from "../../simulator/clock/lost-time.ts";
import { scaledClock } from "../../simulator/clock/sim-clock.ts";

const PRELOAD = new URL("../../simulator/clock/preload.mjs", import.meta.url).href;
const MACHINE = new URL("../../simulator/machine/", import.meta.url).pathname;

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lost-time-"));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

test.each([
  ["nothing, while there is a core for each", 20, { runnable: 2, cores: 2 }, 0],
  ["nothing, when nobody wants a core", 20, { runnable: 0, cores: 2 }, 0],
  ["two thirds, with three processes to a core", 30, { runnable: 6, cores: 2 }, 20],
  ["all but one look's time, when the looking process could not run", 500, { runnable: 1, cores: 2 }, 480],
])("%s, is lost", (_what, elapsedMs, load, lost) => expect(lostIn(elapsedMs, load)).toBeCloseTo(lost));

test("a process that could not run for a while has lost that time, and says so in the file", async () => {
  using lost = countLostTime(join(folder, "lost"));
  const before = performance.now();
  while (performance.now() - before < 300);
  await expect.poll(() => lost.ms()).toBeGreaterThan(200);
  expect(Number(readFileSync(lost.file, "utf8"))).toBeGreaterThan(200_000);
});

test("the clock stands still in lost time, and never goes back", () => {
  let ms = 0;
  const clock = scaledClock(20, Date.now() - 1000, { ms: () => ms, file: "" });
  const before = clock.now();
  ms = 600;
  expect(clock.now()).toBe(before);
  ms = 0;
  expect(clock.now()).toBeGreaterThanOrEqual(before);
});

/** Real milliseconds that a program takes in a world of which `$SIM_TIME_LOST` is the lost time. */
async function timeOf(program: string, args: string[], env: Record<string, string>): Promise<number> {
  const file = join(folder, "lost");
  writeFileSync(file, lostUs(1000));
  const origin = Date.now() - 1000;
  const machine = {
    ...{ SIM_FACTOR_MICRO: 600e6, SIM_ORIGIN_US: origin * 1000, SIM_CLOCK_OFFSET_US: 0 },
    ...{ SIM_LOST_FILE: file, SIM_LIB: `${MACHINE}lib`, SIM_HOST_SLEEP: "/bin/sleep" },
  };
  mkdirSync(join(folder, "sim"));
  writeFileSync(
    join(folder, "sim/settings.bash"),
    Object.entries(machine)
      .map((entry) => entry.join("="))
      .join("\n"),
  );
  const clock = scaledClock(600, origin, { ms: () => 1000, file });
  const before = performance.now();
  await promisify(execFile)(program, args, { env: { PATH: process.env.PATH, ...clock.childEnv(), ...env } });
  return performance.now() - before;
}

const lostUs = (ms: number) => `${String(ms * 1000).padStart(16, "0")}\n`;

// Ten simulated minutes are one second: with one more that is lost as soon as they have begun, two.
const TEN = 600_000;

test.each([
  ["setTimeout", `setTimeout(() => {}, ${TEN})`],
  ["setInterval", `const i = setInterval(() => clearInterval(i), ${TEN})`],
  ["setTimeout of node:timers/promises", `require("node:timers/promises").setTimeout(${TEN})`],
  ["setInterval of node:timers/promises", `require("node:timers/promises").setInterval(${TEN}).next()`],
  [
    "AbortSignal.timeout",
    `const i = setInterval(() => {}, 1e9); AbortSignal.timeout(${TEN}).onabort = () => clearInterval(i)`,
  ],
  ["a timer that is started anew", `const t = setTimeout(() => {}, ${TEN}); t.refresh()`],
])("%s of a child waits on in lost time", async (_what, code) => {
  const lose = `;require("node:fs").writeFileSync(process.env.SIM_TIME_LOST, "${lostUs(2000).trim()}\\n")`;
  const took = await timeOf(process.execPath, ["--eval", code + lose], { NODE_OPTIONS: `--import=${PRELOAD}` });
  expect(took).toBeGreaterThanOrEqual(2000);
});

test.each([
  ["sleep", `"$FOLDER/bin/sleep" 10m`],
  ["read -t", `SIM_MACHINE=$FOLDER/; source "$LIB/bash-env.bash"; read -r -t 600 _ <> <(:)`],
])("%s of a machine waits on in lost time", async (_what, wait) => {
  cpSync(join(MACHINE, "bin"), join(folder, "bin"), { recursive: true });
  const script = `{ /bin/sleep 0.3; echo ${lostUs(2000).trim()} >"$SIM_TIME_LOST"; } & ${wait}; true`;
  const took = await timeOf("bash", ["--norc", "-c", script], { FOLDER: folder, LIB: join(MACHINE, "lib") });
  expect(took).toBeGreaterThanOrEqual(2000);
});
