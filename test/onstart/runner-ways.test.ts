import { expect, test } from "vitest";
import { BOTH_WAYS } from "./support/image.ts";
import { takesJob, waits } from "./support/listener.ts";
import { runFunctions } from "./support/run-functions.ts";
import { machineThatWent } from "./support/test-machine.ts";

// How GitHub's own program ends or goes on, as was seen of it, and what the script makes of that.

/** Ends with this code at its first start, and takes a job at the second. */
const endsFirstWith = (code: number) => `call configuration "$ACTIONS_RUNNER_INPUT_JITCONFIG"
[[ $(<"$ONSTART_TEST/calls.log") == *configuration*configuration* ]] || exit ${code}
${takesJob()}`;

test.concurrent.each([1, 2, 5, 7])(
  "starts the next use after code %d, never with a used configuration",
  async (code) => {
    await using machine = await machineThatWent({ env: { GHR_JIT: "one", GHR_JIT_2: "two" } }, endsFirstWith(code));
    expect(machine.calls.only("configuration", "job")).toEqual([
      "configuration one",
      "configuration two",
      "job started",
      "job ended",
    ]);
  },
);

test.concurrent.each([3, 4])("starts no further runner after code %d, a forced update, and says so", async (code) => {
  await using machine = await machineThatWent({ env: { GHR_JIT: "one", GHR_JIT_2: "two" } }, endsFirstWith(code));
  expect(machine.calls.only("configuration", "job", "DELETE")).toEqual(["configuration one", "DELETE → 200"]);
  expect(machine.read("log")).toMatch(
    /The runner ended with code \d\.\n.*\n.*ghr: GitHub updates the runner: no further job\.\n/,
  );
});

const LOOPS = [
  ["its session is answered with 5xx", `echo 'Runner connect error: 503. Retrying until reconnected.' >&2`],
  ["its job can't be acquired", "echo 'Listening for Jobs'"],
] as const;

test.concurrent.each(LOOPS.flatMap(([how, says]) => BOTH_WAYS.map(({ sigint, way }) => ({ how, says, sigint, way }))))(
  "ends a runner that loops for ever as $how: SIGINT $sigint",
  async ({ says, way }) => {
    await using machine = await machineThatWent(
      { ...way, env: { GHR_IDLE_TIMEOUT: "0" } },
      `${says}\nwhile true; do ${waits(30)}; done`,
    );
    expect(machine.calls.only("SIGINT", "DELETE")).toEqual(["SIGINT", "DELETE → 200"]);
  },
);

const GONE =
  "Failed to create a session. The runner registration has been deleted from the server, please re-configure.";
const UNKNOWN = "The runner no longer exists on the server. Cleaning up local configuration.";
const TOO_OLD = "An error occurred: Runner version v2.330.0 is deprecated and cannot receive messages.";

test.concurrent("leaves the last words of a runner without a job in the log, and time to read them", async () => {
  await using machine = await machineThatWent({}, `echo '${GONE}' >&2\nexit 1`);
  const told = `ghr: The runner ended with code 1.\nZ ghr: No job came to it. Its last words: ${GONE}\n`;
  expect(machine.read("log").replaceAll(/^\S+Z /gm, "Z ")).toContain(told);
  expect(machine.read("log")).toContain(" ghr: Staying for 60 s.\n");
});

test.each([
  ["with its time", `echo '2026-11-23 18:22:02Z: ${TOO_OLD}'; echo`, TOO_OLD],
  ["before a stack", `echo "No valid ICU package"; echo '   at System.Environment.FailFast()'`, "No valid ICU package"],
  // As it is in the log already: whoever reads it cleans it.
  ["with signs that could do harm", "printf 'no \\e[31m\\rred\\n'", "no \u001b[31m\rred"],
  ["that are too long", "printf '%0400d\\n' 0", "0".repeat(300)],
  ["that are none", "", "√ Connected to GitHub"],
  // As GitHub's program does when its server does not know it any more.
  ["before it tidies up", `echo '${UNKNOWN}'; echo '√ Removed .credentials'; echo '√ Removed .runner'`, UNKNOWN],
])("takes for the last words of a runner without a job those %s", (_, says, words) => {
  const { said } = runFunctions(
    `mkdir -p runner/bin; echo 'words of before' >log
watch_idle() { :; }; kill() { :; }; configuration=x GHR_MAX_LIFETIME=1 stopping='' code='' words=''
{ echo '#!/bin/bash'; echo "echo '√ Connected to GitHub'"; echo "$1"; } >runner/bin/Runner.Listener
chmod +x runner/bin/Runner.Listener; run_runner >>log 2>&1; cat log`,
    says,
  );
  expect(said).toMatch(/ghr: The runner ended with code 0\.\n/);
  expect(said.endsWith(` ghr: No job came to it. Its last words: ${words}\n`)).toBe(true);
});

test.concurrent("stays no longer after a job, whatever its runner's code", async () => {
  await using machine = await machineThatWent({}, `${takesJob()}\nexit 1`);
  expect(machine.read("log")).not.toMatch(/last words|Staying/);
});

/** As GitHub's program notes in its own log that a job is refused to it; it prints nothing. */
const NOTED = [
  "Skipping message Job. Job message not found '6f1c'. gone",
  "Caught exception from acquiring job message: System.Exception: Failed to get job message: 500",
];

test.concurrent.each(NOTED)("leaves why an idle runner could have no job in the log: %s", async (line) => {
  const notes = `mkdir runner/_diag; echo "[2026-11-23 18:22:02Z INFO Runner] ${line}" >runner/_diag/Runner_1.log`;
  await using machine = await machineThatWent(
    { env: { GHR_IDLE_TIMEOUT: "0" } },
    `${notes}\ntrap 'echo Exiting...; exit 0' INT; ${waits(7200)}`,
  );
  const words = line.replace("Caught exception from ", "");
  expect(machine.read("log")).toContain(` ghr: No job came to it. Its last words: ${words}\n`);
  expect(machine.read("log")).toContain(" ghr: Staying for 60 s.\n");
});

test.concurrent("stays no longer where an idle runner was stopped, but ends at once", async () => {
  await using machine = await machineThatWent({ env: { GHR_IDLE_TIMEOUT: "0" } }, `trap 'exit 1' INT; ${waits(7200)}`);
  expect(machine.read("log")).not.toMatch(/last words|Staying/);
});
