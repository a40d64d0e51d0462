import { expect, test } from "vitest";
import { BOTH_WAYS } from "./support/image.ts";
import { FOREIGN_JOB, OWN_JOB, RAN_JOB, takesJob, waits } from "./support/listener.ts";
import { deadlineIn, machineThatWent, setupOf, type TestMachine, testMachine } from "./support/test-machine.ts";

/** The log from the job's start on. */
function logOfJob(machine: TestMachine): string {
  return machine.read("log").split("Running job: test\n")[1] ?? "";
}

test.concurrent("runs setup before the runner, in the home folder, with the user's variables and none of ours", async () => {
  const lines = `echo "setup in $PWD" >>"$ONSTART_TEST/calls.log"
tr '\\0' '\\n' </proc/$$/environ >"$ONSTART_TEST/setup.env"
[[ $- == *e* ]] && shopt -qo pipefail && echo 'a "quoted" line'
export LOST=1; echo kept >"$ONSTART_TEST/kept"`;
  await using machine = await machineThatWent({
    tellsArguments: true,
    env: { MY_VARIABLE: "it's mine", ...setupOf(lines) },
  });
  expect(machine.calls.only("download", "setup", "listener", "job")).toEqual([
    "download",
    `setup in ${machine.folder}`,
    "listener run",
    "job started",
    "job ended",
  ]);
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

test.concurrent("shows the job the last 200 lines of a setup that failed", async () => {
  await using machine = await machineThatWent({
    env: setupOf('for ((n = 1; n <= 250; n++)); do echo "line $n"; done; exit 9'),
  });
  const shown = logOfJob(machine).split("\n");
  expect(shown.slice(0, 2)).toEqual(["line 51", "line 52"]);
  expect(shown.slice(199, 201)).toEqual(["line 250", "::error::setup ended with code 9. line 250"]);
});

test.concurrent("cuts a setup that takes too long, with all that it started", async () => {
  await using machine = await machineThatWent(
    { env: setupOf(`echo 'it begins'; trap '' INT TERM; sleep 7200 & sleep 7200`, 30) },
    takesJob(),
  );
  expect(machine.calls.only("listener", "job")).toEqual(["listener run", "job refused"]);
  expect(logOfJob(machine)).toMatch(/^it begins\n::error::setup took longer than 30 s\. it begins\n/);
});

test.concurrent("cuts a setup that takes too long on a disk that takes no new file any more", async () => {
  await using machine = await testMachine({
    isRoot: false,
    env: setupOf('/usr/bin/chmod 500 "$ONSTART_TEST/ghr"; sleep 7200', 30),
  });
  await machine.start();
  await machine.until(() => machine.calls.only("DELETE").length > 0);
  expect(machine.calls.only("listener", "job")).toEqual([]);
});

test.concurrent.each(BOTH_WAYS)("ends a setup that hangs at the deadline: SIGINT $sigint", async ({ way }) => {
  await using machine = await machineThatWent({
    ...way,
    env: { ...deadlineIn(180), ...setupOf("trap '' INT TERM; sleep 7200 & sleep 7200", 7200) },
  });
  expect(machine.calls.only("listener", "DELETE")).toEqual(["DELETE → 200"]);
});

test.concurrent("leaves running what setup started in the background, and does not wait for it", async () => {
  await using machine = await machineThatWent(
    { env: setupOf(`(until [[ -e $ONSTART_TEST/over ]]; do sleep 5; : >"$ONSTART_TEST/beat"; done) &`) },
    takesJob(`until [[ -e $ONSTART_TEST/beat ]]; do sleep 5; done; : >"$ONSTART_TEST/over"`),
  );
  expect(machine.calls.only("job")).toEqual(RAN_JOB);
});

test.concurrent("fails a job that may ask for the workflow's cloud identity, as after a failed setup", async () => {
  const job = `${OWN_JOB} ACTIONS_ID_TOKEN_REQUEST_URL=https://token.example`;
  await using machine = await machineThatWent({}, takesJob(":", job));
  expect(machine.calls.only("job")).toEqual(["job refused"]);
  expect(logOfJob(machine)).toMatch(/^::error::Remove id-token: write\. The host may have used it\.$/m);
  expect(logOfJob(machine)).not.toContain("setup.log");
});

test.concurrent("refuses a foreign job as such when setup failed, too", async () => {
  await using machine = await machineThatWent({ env: setupOf("echo private; false") }, takesJob(":", FOREIGN_JOB));
  expect(machine.calls.only("job")).toEqual(["job refused"]);
  expect(logOfJob(machine)).toContain("This machine was rented for owner/repo 42 1, not for owner/other 42 1.");
  expect(logOfJob(machine)).not.toContain("private");
});

test.concurrent.each(BOTH_WAYS)(
  "keeps a machine whose setup failed for its job, and is idle when none comes, whatever setup said: SIGINT $sigint",
  async ({ way }) => {
    await using machine = await machineThatWent(
      { ...way, env: { GHR_IDLE_TIMEOUT: "0", ...setupOf("echo 'Running job: build'; false") } },
      waits(7200),
    );
    expect(machine.calls.only("listener", "SIGINT")).toEqual(["listener run", "SIGINT"]);
  },
);

test.concurrent("runs setup again when the container was restarted in the middle of it", async () => {
  await using machine = await testMachine({
    env: setupOf(`echo setup >>"$ONSTART_TEST/calls.log"; [[ -e $ONSTART_TEST/again ]] || sleep 7200`),
  });
  await machine.start();
  await machine.until(() => machine.calls.only("setup").length === 1);
  machine.stop();
  await machine.run(': >"$ONSTART_TEST/again"');
  await machine.live();
  expect(machine.calls.only("setup", "job")).toEqual(["setup", "setup", "job started", "job ended"]);
});
