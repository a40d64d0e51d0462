import { expect, test } from "vitest";
import { packText } from "../../src/machine/script/pack-text.ts";
import { eachMachine, type Life } from "./support/each-machine.ts";
import { notes } from "./support/image.ts";
import { FOREIGN_JOB, OWN_JOB, RAN_JOB, takesJob, waits } from "./support/listener.ts";
import { GIVEN_BACK, PROVEN } from "./support/stand-in-service.ts";
import { deadlineIn, machineThatWent, setupOf, type TestMachine } from "./support/test-machine.ts";

/** The log from the job's start on. */
function logOfJob(machine: TestMachine): string {
  return machine.read("log").split("Running job: test\n")[1] ?? "";
}

const HANGS = "trap '' INT TERM; sleep 7200 & sleep 7200";

test.concurrent("runs setup before the runner, in the home folder, with the user's variables and none of ours", async () => {
  const lines = `${notes("setup in $PWD")}
tr '\\0' '\\n' </proc/$$/environ >"$ONSTART_TEST/setup.env"
[[ $- == *e* ]] && shopt -qo pipefail && echo 'a "quoted" line'
export LOST=1; echo kept >"$ONSTART_TEST/kept"`;
  await using machine = await machineThatWent({
    tellsArguments: true,
    env: { MY_VARIABLE: "it's mine", ...setupOf(lines) },
  });
  const calls = ["download", `setup in ${machine.folder}`, "listener run", ...RAN_JOB];
  expect(machine.calls.only("download", "setup", "listener", "job")).toEqual(calls);
  const env = machine.read("setup.env");
  expect(env).toContain("MY_VARIABLE=it's mine\n");
  expect(env).not.toMatch(/^(GHR_|CONTAINER_API_KEY)/m);
  expect(machine.read("log")).toContain('\na "quoted" line\n');
  expect(machine.read("listener.env")).not.toContain("LOST");
  // Its lines are nobody's business who lists processes.
  expect(machine.read("argv.log")).toContain("setup.sh");
  expect(machine.read("argv.log")).not.toContain("quoted");
});

test.concurrent.each([
  ["a command fails", "echo 'No module named x' >&2; exit 3", "code 3. No module named x"],
  ["a line fails", "false\necho never", "code 1."],
  ["a part of a pipe fails", "echo 'one\ntwo'; false | true", "code 1. two"],
  ["it has a mistake", "if", "code 2. .*: syntax error: unexpected end of file"],
  ["its last line is blank", "echo 'E: no such package'; echo; echo '  '; exit 100", "code 100. E: no such package"],
  ["its last line has no end", "printf 'one\nout of space'; exit 1", "code 1. out of space"],
  ["its last line is a progress bar", "printf 'one\n 50%%\r 51%%\r'; exit 1", "code 1. 51%25"],
])("when %s, the runner starts all the same and its job fails with the reason", async (_, lines, reason) => {
  await using machine = await machineThatWent({ env: setupOf(lines) });
  expect(machine.calls.only("listener", "job")).toEqual(["listener run", "job refused"]);
  // A workflow command: GitHub annotates the job with it.
  expect(logOfJob(machine)).toMatch(new RegExp(`^::error::setup ended with ${reason}$`, "m"));
  expect(machine.read("log")).toMatch(/ ghr: The GPU job will fail: setup ended with code \d+\./);
  expect(machine.read("ghr/accepted") + machine.read("log")).not.toContain("never");
});

const probeOf = (lines: string) => ({ GHR_PROBE: packText(lines) });

/** No job ran, and the one that came shows this. */
const refuses = (shown: RegExp, hidden: string): Life => ({
  calls: { job: ["job refused"] },
  check: (machine) => {
    expect(logOfJob(machine)).toMatch(shown);
    expect(logOfJob(machine)).not.toContain(hidden);
  },
});

eachMachine({
  "goes on when the probe is content": {
    env: probeOf(notes("probe")),
    calls: { "PUT nvidia-smi probe listener job": [PROVEN, "nvidia-smi -L", "probe", "listener run", ...RAN_JOB] },
  },
  "gives the machine back when the probe fails, with its last words, before setup": {
    env: { ...probeOf("echo first; echo 'CUDA error: no kernel image' >&2; exit 3"), ...setupOf(notes("setup"), 600) },
    calls: { "setup listener": [] },
    says: "This machine is no good: probe ended with code 3. CUDA error: no kernel image\n",
  },
  "gives the machine back when the probe takes longer than two minutes": {
    env: probeOf("trap '' INT TERM; echo 'loading'; sleep 7200"),
    calls: { listener: [] },
    says: "This machine is no good: probe took longer than 120 s. loading\n",
  },
  "shows the job the last 200 lines of a setup that failed": {
    ...refuses(/^line 51\n(line \d+\n){198}line 250\n::error::setup ended with code 9\. line 250\n/, "line 50\n"),
    env: setupOf('for ((n = 1; n <= 250; n++)); do echo "line $n"; done; exit 9'),
  },
  "cuts a setup that takes too long, with all that it started": {
    ...refuses(/^it begins\n::error::setup took longer than 30 s\. it begins\n/, "Killed"),
    env: setupOf(`echo 'it begins'; ${HANGS}`, 30),
  },
  "cuts a setup that takes too long on a disk that takes no new file any more": {
    isRoot: false,
    env: setupOf('/usr/bin/chmod 500 "$ONSTART_TEST/ghr"; sleep 7200', 30),
    until: "DELETE →",
    calls: { "listener job": [] },
  },
  "ends a setup that hangs at the deadline": {
    inBothWays: true,
    env: { ...deadlineIn(180), ...setupOf(HANGS, 7200) },
    calls: { "listener DELETE": [GIVEN_BACK] },
  },
  "leaves running what setup started in the background, and does not wait for it": {
    env: setupOf(`(until [[ -e $ONSTART_TEST/over ]]; do sleep 5; : >"$ONSTART_TEST/beat"; done) &`),
    runner: takesJob(`until [[ -e $ONSTART_TEST/beat ]]; do sleep 5; done; : >"$ONSTART_TEST/over"`),
  },
  "fails a job that may ask for the workflow's cloud identity, as after a failed setup": {
    ...refuses(/^::error::Remove id-token: write\. The host may have used it\.$/m, "setup.log"),
    runner: takesJob(":", `${OWN_JOB} ACTIONS_ID_TOKEN_REQUEST_URL=https://token.example`),
  },
  "refuses a foreign job as such when setup failed, too": {
    ...refuses(/^This machine was rented for owner\/repo 42 1, not for owner\/other 42 1\.$/m, "private"),
    env: setupOf("echo private; false"),
    runner: takesJob(":", FOREIGN_JOB),
  },
  "keeps a machine whose setup failed for its job, and is idle when none comes, whatever setup said": {
    ...{ inBothWays: true, runner: waits(7200) },
    env: { GHR_IDLE_TIMEOUT: "0", ...setupOf("echo 'Running job: build'; false") },
    calls: { "listener SIGINT": ["listener run", "SIGINT"] },
  },
  "runs setup again when the container was restarted in the middle of it": {
    env: setupOf(`${notes("setup")}; [[ -e $ONSTART_TEST/again ]] || sleep 7200`),
    restartAt: "setup\n",
    changes: (machine) => machine.run(': >"$ONSTART_TEST/again"'),
    calls: { "setup job": ["setup", "setup", ...RAN_JOB] },
  },
});
