import { expect, test } from "vitest";
import { eachMachine, type Life } from "./support/each-machine.ts";
import { RAN_JOB, takesJob, waits } from "./support/listener.ts";
import { runFunctions } from "./support/run-functions.ts";
import { GIVEN_BACK } from "./support/stand-in-service.ts";

// How GitHub's own program ends or goes on, as was seen of it, and what the script makes of that.

/** Ends with this code at its first start, and takes a job at the second. */
const endsFirstWith = (code: number) => ({
  env: { GHR_JIT: "one", GHR_JIT_2: "two" },
  runner: `call configuration "$ACTIONS_RUNNER_INPUT_JITCONFIG"
[[ $(<"$ONSTART_TEST/calls.log") == *configuration*configuration* ]] || exit ${code}
${takesJob()}`,
});
const goesOn = (code: number): Life => ({
  ...endsFirstWith(code),
  calls: { "configuration job": ["configuration one", "configuration two", ...RAN_JOB] },
});
const updates = (code: number): Life => ({
  ...endsFirstWith(code),
  calls: { "configuration job DELETE": ["configuration one", GIVEN_BACK] },
  says: /The runner ended with code \d\.\n.*\n.*ghr: GitHub updates the runner: no further job\.\n/,
});

const forEach = (codes: readonly number[], name: string, life: (code: number) => Life) =>
  Object.fromEntries(codes.map((code) => [name.replace("%d", String(code)), life(code)]));

const IS_IDLE = { GHR_IDLE_TIMEOUT: "0" };
const loops = (says: string): Life => ({
  ...{ inBothWays: true, env: IS_IDLE, runner: `${says}\nwhile true; do ${waits(30)}; done` },
  calls: { "SIGINT DELETE": ["SIGINT", GIVEN_BACK] },
});

const GONE =
  "Failed to create a session. The runner registration has been deleted from the server, please re-configure.";
const UNKNOWN = "The runner no longer exists on the server. Cleaning up local configuration.";
const TOO_OLD = "An error occurred: Runner version v2.330.0 is deprecated and cannot receive messages.";

const STAYS = " ghr: Staying for 60 s.\n";
const NO_STAY = /last words|Staying/;

/** As GitHub's program notes in its own log that a job is refused to it; it prints nothing. */
const notes = (line: string): Life => ({
  ...{ env: IS_IDLE, calls: { job: [] } },
  runner: `mkdir runner/_diag; echo "[2026-11-23 18:22:02Z INFO Runner] ${line}" >runner/_diag/Runner_1.log
trap 'echo Exiting...; exit 0' INT; ${waits(7200)}`,
  says: [` ghr: No job came to it. Its last words: ${line.replace("Caught exception from ", "")}\n`, STAYS],
});

eachMachine({
  ...forEach([1, 2, 5, 7], "starts the next use after code %d, never with a used configuration", goesOn),
  ...forEach([3, 4], "starts no further runner after code %d, a forced update, and says so", updates),
  "ends a runner that loops for ever as its session is answered with 5xx": loops(
    `echo 'Runner connect error: 503. Retrying until reconnected.' >&2`,
  ),
  "ends a runner that loops for ever as its job can't be acquired": loops("echo 'Listening for Jobs'"),
  "leaves the last words of a runner without a job in the log, and time to read them": {
    ...{ runner: `echo '${GONE}' >&2\nexit 1`, calls: { job: [] } },
    says: [
      /ghr: The runner ended with code 1\.\n.* ghr: No job came to it\. Its last words: Failed to create a session\. .*re-configure\.\n/,
      STAYS,
    ],
  },
  "stays no longer after a job, whatever its runner's code": { runner: `${takesJob()}\nexit 1`, neverSays: NO_STAY },
  "leaves in the log that its job was gone": notes("Skipping message Job. Job message not found '6f1c'. gone"),
  "leaves in the log that an idle runner could not get its job": notes(
    "Caught exception from acquiring job message: System.Exception: Failed to get job message: 500",
  ),
  "stays no longer where an idle runner was stopped, but ends at once": {
    ...{ env: IS_IDLE, runner: `trap 'exit 1' INT; ${waits(7200)}`, calls: { job: [] } },
    neverSays: NO_STAY,
  },
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
