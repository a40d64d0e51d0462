import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempDisposableSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { scaledClock } from "../../simulator/clock/sim-clock.ts";

const PRELOAD = new URL("../../simulator/clock/preload.mjs", import.meta.url).href;
const MACHINE = new URL("../../simulator/machine/", import.meta.url).pathname;
const ROOT = new URL("../..", import.meta.url).pathname;

/** An hour of a child's life takes a tenth of a second: an unscaled timer makes it time out. */
const clock = scaledClock(36_000);
const HOUR_MS = 3_600_000;

/** Runs the text as a module in a Node that has the preload; returns what it printed as JSON. */
async function runInChild(code: string, env: Record<string, string> = clock.childEnv()): Promise<unknown> {
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", code], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, NODE_OPTIONS: `--import=${PRELOAD}`, ...env },
  });
  return JSON.parse(stdout);
}

/** Ways to wait for HOUR, with what they import; 1e9 keeps a process alive. */
const WAYS: [what: string, statement: string, imports?: string][] = [
  ["the global setTimeout", "await new Promise((done) => setTimeout(done, HOUR));"],
  ["a timer that is started anew", "await new Promise((done) => setTimeout(done, HOUR).refresh());"],
  ["node:timers", "await new Promise((done) => set(done, HOUR));", 'import { setTimeout as set } from "node:timers";'],
  ["its default import", "await new Promise((done) => t.setTimeout(done, HOUR));", 'import t from "node:timers";'],
  ["node:timers/promises", "await wait(HOUR);", 'import { setTimeout as wait } from "node:timers/promises";'],
  ["timers/promises without node:", "await wait(HOUR);", 'import { setTimeout as wait } from "timers/promises";'],
  ["promises of node:timers", "await promises.setTimeout(HOUR);", 'import { promises } from "node:timers";'],
  [
    "require",
    'await module.createRequire("/")("timers/promises").setTimeout(HOUR);',
    'import module from "node:module";',
  ],
  ["util.promisify(setTimeout)", "await promisify(setTimeout)(HOUR);", 'import { promisify } from "node:util";'],
  ["scheduler.wait", "await scheduler.wait(HOUR);", 'import { scheduler } from "node:timers/promises";'],
  [
    "setInterval",
    "let n = 0; await new Promise((done) => { const i = setInterval(() => ++n === 2 && done(clearInterval(i)), HOUR / 2); });",
  ],
  [
    "setInterval of node:timers/promises",
    "let n = 0; for await (const _ of setInterval(HOUR / 2)) if (++n === 2) break;",
    'import { setInterval } from "node:timers/promises";',
  ],
  [
    "AbortSignal.timeout",
    "await new Promise((done) => { const i = setInterval(() => {}, 1e9); AbortSignal.timeout(HOUR).onabort = () => done(clearInterval(i)); });",
  ],
];

test.each(WAYS)("scales %s, and it is never early", async (_what, statement, imports = "") => {
  const took = await runInChild(`${imports}
    const date = Date.now(), start = performance.now();
    ${statement.replaceAll("HOUR", String(HOUR_MS))}
    console.log(JSON.stringify([Date.now() - date, performance.now() - start]));`);
  for (const ms of took as number[]) expect(ms).toBeGreaterThanOrEqual(HOUR_MS);
});

test("shows the same time as the clock it follows", async () => {
  const before = clock.now();
  const child = (await runInChild(
    "console.log(JSON.stringify([Date.now(), new Date().getTime(), Date.parse(Date()), performance.timeOrigin + performance.now()]))",
  )) as [number, number, number, number];
  const after = clock.now();
  for (const time of child) {
    // Date() has whole seconds, and performance's origin is rounded to a microsecond or so.
    expect(time).toBeGreaterThanOrEqual(before - HOUR_MS / 100);
    expect(time).toBeLessThanOrEqual(after + HOUR_MS / 100);
  }
});

test("leaves everything else of Date as it is", async () => {
  const code = `class Later extends Date {}
    const date = new Date(5);
    console.log(JSON.stringify([date.getTime(), new Date(2020, 0, 1, 12).getFullYear(), Date.UTC(1970, 0, 2), Date.parse("1970-01-01T00:00:01Z"),
      date instanceof Date, date.constructor === Date, new Later() instanceof Later, new Later() instanceof Date, Math.abs(new Later() - Date.now()) < 3600000,
      typeof Date(), Date.name, Date.length, structuredClone(date) instanceof Date, new Date(date).getTime(), Number.isInteger(Date.now())]));`;
  expect(await runInChild(code)).toEqual([
    ...[5, 2020, 86_400_000, 1000, true, true, true, true, true],
    ...["string", "Date", 7, true, 5, true],
  ]);
});

test("keeps what timers return, their arguments and their refusals", async () => {
  const code = `import { setTimeout as wait } from "node:timers/promises";
    const t = setTimeout(() => {}, 1e9); t.refresh().unref(); clearTimeout(t);
    const value = await wait(10, "value");
    const argument = await new Promise((done) => setTimeout(done, 10, "argument"));
    const refused = await wait("soon").catch((error) => error.code);
    let thrown; try { AbortSignal.timeout(-1); } catch (error) { thrown = error.code; }
    const aborted = await wait(1e9, undefined, { signal: AbortSignal.timeout(1000) }).catch((error) => [error.name, error.cause.name]);
    console.log(JSON.stringify([typeof t.ref, value, argument, refused, thrown, aborted]));`;
  expect(await runInChild(code)).toEqual([
    "function",
    "value",
    "argument",
    "ERR_INVALID_ARG_TYPE",
    "ERR_OUT_OF_RANGE",
    ["AbortError", "TimeoutError"],
  ]);
});

test("lets undici and @actions/core work: an answer comes, and a silent server is given up", async () => {
  const server = createServer((request, response) => {
    if (request.url !== "/silent") response.end("hello");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const code = `import { Agent, request } from "undici";
    import * as core from "@actions/core";
    // A slow computer's real seconds are much longer here: only the request to the silent server is aborted.
    const patient = new Agent({ connectTimeout: 1e9, headersTimeout: 1e9, bodyTimeout: 1e9 });
    const hasty = new Agent({ connectTimeout: 1e9, headersTimeout: 20_000 });
    const texts = [];
    for (let n = 0; n < 3; n++) texts.push(await (await request("${url}/", { dispatcher: patient })).body.text());
    texts.push(await (await fetch("${url}/")).text());
    const silent = await request("${url}/silent", { dispatcher: hasty }).catch((error) => error.code);
    await Promise.all([patient.destroy(), hasty.destroy()]);
    console.log(JSON.stringify([texts, silent, typeof core.getInput]));`;
  try {
    expect(await runInChild(code)).toEqual([
      ["hello", "hello", "hello", "hello"],
      "UND_ERR_HEADERS_TIMEOUT",
      "function",
    ]);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test("does nothing without its variables", async () => {
  const code = `import { setTimeout as wait } from "node:timers/promises";
    console.log(JSON.stringify([String(Date), String(setTimeout).includes("scaled"), String(wait).includes("scaled"), Date.now()]));`;
  const before = Date.now();
  const [date, set, wait, now] = (await runInChild(code, {})) as [string, boolean, boolean, number];
  expect([date, set, wait]).toEqual(["function Date() { [native code] }", false, false]);
  expect(now).toBeGreaterThanOrEqual(before);
  expect(now).toBeLessThanOrEqual(Date.now());
});

test("refuses to start a process whose time is not known", async () => {
  await expect(runInChild("console.log(1)", { SIM_TIME_FACTOR: "fast", SIM_TIME_ORIGIN: "1" })).rejects.toThrow(
    "SIM_TIME_FACTOR must be a number above 0",
  );
  await expect(runInChild("console.log(1)", { SIM_TIME_FACTOR: "20" })).rejects.toThrow("SIM_TIME_ORIGIN");
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
  ["a timer", `setTimeout(() => {}, ${TEN})`],
  ["an interval", `const i = setInterval(() => clearInterval(i), ${TEN})`],
  [
    "AbortSignal.timeout",
    `const i = setInterval(() => {}, 1e9); AbortSignal.timeout(${TEN}).onabort = () => clearInterval(i)`,
  ],
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
