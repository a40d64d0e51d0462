import fc from "fast-check";
import { afterEach, describe, expect, test, vi } from "vitest";
import { checkedInputs, checkServiceInputs, readInputs, readSweepInputs } from "../../src/action/inputs/read.ts";
import { type InputValues, inputSchema, SECRET_INPUTS } from "../../src/action/inputs/schema.ts";
import { readRunContext } from "../../src/action/open-session.ts";
import { fleetRequest } from "../../src/action/request.ts";
import { aRun, aSessionIn } from "../unit/support/a-run.ts";
import { stepOutput } from "../unit/support/step-output.ts";
import { always } from "./support/always.ts";
import { hostileVariable } from "./support/hostile.ts";
import { commandsIn, expectFreeOf, orRefused } from "./support/readings.ts";

/** Stands in every secret, so that a part of one is known wherever it is shown. */
const MARK = "s3cr3tM4rk";
const NAMES = Object.keys(inputSchema.shape);
const GOOD: Record<string, string> = {
  ...Object.fromEntries(NAMES.map((name) => [name, ""])),
  "api-key": `key-${MARK}`,
  "github-token": `registrar-${MARK}`,
  "job-token": `job-${MARK}`,
  "max-price": "0.60",
  "max-cost": "2",
  image: "debian:13",
};
/** Values that some input takes, so that not all is refused. */
const USUAL = ["1", "0.5", "true", "auto", "5m", "RTX 4090, L40S", "https://service.example/a'b$(c)/", "A=1\nB=$(x)"];
const usual = fc.constantFrom(...USUAL);
const given = fc
  .dictionary(fc.constantFrom(...NAMES), fc.oneof(hostileVariable, usual), { maxKeys: 4 })
  .map((hostile) => {
    const marked = Object.entries(hostile).map(([name, text]) => [name, (SECRET_INPUTS.has(name) ? MARK : "") + text]);
    return { ...GOOD, ...Object.fromEntries(marked) };
  });

const printed = stepOutput();

afterEach(() => {
  vi.unstubAllEnvs();
});

function give(inputs: Record<string, string>): void {
  printed.text = "";
  for (const [name, value] of Object.entries(inputs)) vi.stubEnv(`INPUT_${name.toUpperCase()}`, value);
}

describe("inputs of all kinds", () => {
  test.each([
    ["main", () => checkedInputs(readInputs())],
    ["post", () => checkServiceInputs(readInputs(), "ghr1.1.2-1.abcdef")],
    ["the sweep", readSweepInputs],
  ])("for %s are read, or refused without showing a secret", (_who, read) =>
    always(200, [given], (inputs) => {
      give(inputs);
      orRefused(
        () => read(),
        (error) => expectFreeOf([MARK], error),
      );
      expect(commandsIn(printed.text).filter((line) => !line.startsWith("::add-mask::"))).toEqual([]);
    }),
  );
});

const WORDS: Partial<Record<keyof InputValues, RegExp>> = {
  image: /^$|^[A-Za-z0-9][\w./:@-]*$/,
  imageLogin: /^$|^-u [^\s'"\\]+ -p [^\s'"\\]+ [\w./:-]+$/,
  templateHashId: /^[A-Za-z0-9]*$/,
  name: /^[a-z0-9.-]*$/,
  apiUrl: /^https?:\/\/[^\s"\\`<>]+$/,
};
const NUMBERS = ["GHR_SETUP_TIMEOUT", "GHR_IDLE_TIMEOUT", "GHR_DEADLINE", "GHR_MAX_UPTIME", "GHR_NUM_GPUS"];
/** Words that the scripts put into their own lines: numbers, base64, an address. */
const MACHINE_WORDS: Readonly<Record<string, RegExp>> = {
  ...Object.fromEntries(["GHR_SETUP", "GHR_PROBE", "GHR_WORK"].map((name) => [name, /^[A-Za-z0-9+/=]+$/])),
  ...Object.fromEntries(NUMBERS.map((name) => [name, /^\d+$/])),
  GHR_API_URL: /^https?:\/\/[^\s"\\`<>]+$/,
};
const SESSION = aSessionIn(aRun({ runId: 2 }));

test("no input becomes a word of shell: the script is always the same, and its variables are numbers, base64 or an address", () => {
  const run = { GITHUB_REPOSITORY: "octo/lib", GITHUB_RUN_ID: "2", GITHUB_RUN_ATTEMPT: "1", GITHUB_JOB: "rent" };
  for (const [name, value] of Object.entries(run)) vi.stubEnv(name, value);
  const scripts = new Set<string>();
  always(400, [given], (texts) => {
    give(texts);
    const inputs = orRefused(() => checkedInputs(readInputs()));
    if (inputs === undefined) return;
    for (const [name, words] of Object.entries(WORDS)) expect(inputs[name as keyof InputValues], name).toMatch(words);
    const request = orRefused(() => fleetRequest(inputs, readRunContext(inputs.name), SESSION));
    if (request === undefined) return;
    scripts.add(request.onstart);
    const env = request.env({ jitConfigs: ["e30="], deadline: 1_800_000_000.5, uptimeMs: 7_200_001 });
    for (const [name, value] of Object.entries(env)) expect(value, name).toMatch(MACHINE_WORDS[name] ?? /^/);
    expect(Object.keys(env).filter((name) => !/^[A-Za-z_]\w*$/.test(name))).toEqual([]);
  });
  expect(scripts.size).toBe(1);
});
