import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { envField, faultOfVariable } from "../../src/action/inputs/fields.ts";
import { MACHINE_INPUTS } from "../../src/action/inputs/schema.ts";
import { onstartEnv } from "../../src/machine/script/onstart-env.ts";
import { packText } from "../../src/machine/script/pack-text.ts";
import { always } from "./support/always.ts";
import { hostileVariable } from "./support/hostile.ts";

const BOOTSTRAP = fileURLToPath(new URL("../../onstart/bootstrap.sh", import.meta.url));
/** Each run of a property is a process or two. */
const RUNS = 60;

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "property-"));
});

afterAll(() => rmSync(folder, { recursive: true }));

/** Printed by the machine's bash with these variables (and our functions). It may make nothing. */
function bash(lines: string, env: Record<string, string>, ...args: string[]): string {
  const before = readdirSync(folder);
  const output = execFileSync("/bin/bash", ["-c", lines, "bash", ...args], {
    cwd: folder,
    env: { PATH: "/usr/bin:/bin", ...env },
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  expect(readdirSync(folder)).toEqual(before);
  return output;
}

const SETTINGS = {
  ...{ jitConfigs: ["e30="], apiUrl: "https://service.example", numGpus: 1 },
  download: { url: "https://github.example/runner.tar.gz", sha256: "ab".repeat(32) },
  ...{ deadline: 1_800_000_000_000, uptimeMs: 7_200_000, maxLifetime: 3_600_000, keepFailed: 0, idleTimeout: 300_000 },
  ...{ repository: "octo/lib", runId: 2, runAttempt: 1, setup: "", setupTimeout: 600_000, probe: "" },
};

test("a variable of the user is in the machine's bash what it is in the workflow", () => {
  const name = fc.stringMatching(/^X[A-Za-z0-9_]{0,9}$/);
  // A line of the input: what a line can't hold is not in it, and blanks at its end are cut.
  const value = hostileVariable.map((text) => text.replaceAll("\n", " ").trimEnd());
  always(RUNS, [name, value], (variable, text) => {
    // What can't be meant is refused as an input.
    fc.pre(faultOfVariable(variable, text) === undefined);
    const read = envField().parse(`# a comment\n\n${variable}=${text}\nY=1\r\n`);
    const env = onstartEnv(SETTINGS, read);
    expect(bash(`printf '%s|' "\${!1}" "$Y"`, env, variable)).toBe(`${text}|1|`);
  });
});

test("setup and probe reach the machine's bash letter by letter, and only there", () =>
  always(RUNS, [hostileVariable, hostileVariable], (...given) => {
    const { data: setup = "true" } = MACHINE_INPUTS.setup.safeParse(given[0]);
    const { data: probe = "true" } = MACHINE_INPUTS.probe.safeParse(given[1]);
    const none = { GHR_SETUP: packText(""), GHR_PROBE: packText("") };
    const env = { ...none, ...onstartEnv({ ...SETTINGS, setup, probe }, {}) };
    const lines = `source "$1"; unpack "$GHR_SETUP"; echo '|'; unpack "$GHR_PROBE"; echo '|'`;
    expect(bash(lines, env, BOOTSTRAP)).toBe(`${setup}|\n${probe}|\n`);
  }));
