import { expect, test } from "vitest";
import { takesJob, waits } from "./support/listener.ts";
import { testMachine } from "./support/test-machine.ts";

const FOREIGN_JOB = "GITHUB_REPOSITORY=owner/other GITHUB_RUN_ID=42 GITHUB_RUN_ATTEMPT=1";

test.concurrent("stops the runner first when no job comes, then gives the machine back", async () => {
  await using machine = await testMachine({}, waits(7200));
  machine.env.GHR_IDLE_TIMEOUT = "30";
  await machine.start();
  await machine.untilGone();
  expect(machine.calls.only("listener", "SIGINT", "DELETE")).toEqual(["listener run", "SIGINT", "DELETE → 200"]);
  // The runner has gone by itself before the machine does.
  expect(machine.read("log")).toMatch(
    /No job for this machine.*\n.*The runner ended with code 0.*\n.*Giving the machine back/,
  );
});

test.concurrent("gives the machine back when the idle runner does not stop", async () => {
  await using machine = await testMachine({}, `trap '' INT\n${waits(7200)}`);
  machine.env.GHR_IDLE_TIMEOUT = "0";
  await machine.start();
  await machine.untilGone();
  expect(machine.calls.only("SIGINT", "DELETE")).toEqual(["DELETE → 200"]);
});

test.concurrent("is never idle once a job started", async () => {
  await using machine = await testMachine({}, takesJob(waits(150)));
  machine.env.GHR_IDLE_TIMEOUT = "0";
  await machine.start();
  await machine.untilGone();
  expect(machine.calls.only("job", "SIGINT", "DELETE").slice(0, 3)).toEqual([
    "job started",
    "job ended",
    "DELETE → 200",
  ]);
});

test.concurrent("is never idle once its hook let a job in, whatever the runner prints", async () => {
  await using machine = await testMachine({}, takesJob(waits(150)).replace("Running job", "A job"));
  machine.env.GHR_IDLE_TIMEOUT = "0";
  await machine.start();
  await machine.untilGone();
  expect(machine.calls.only("job", "SIGINT")).toEqual(["job started", "job ended"]);
});

test.concurrent("is not idle while a job that came downloads its actions, before its hook", async () => {
  await using machine = await testMachine({}, `echo 'Running job: test'\n${waits(150)}\n${takesJob()}`);
  machine.env.GHR_IDLE_TIMEOUT = "0";
  await machine.start();
  await machine.untilGone();
  expect(machine.calls.only("job", "SIGINT")).toEqual(["job started", "job ended"]);
});

test.concurrent("refuses the job of another repository", async () => {
  await using machine = await testMachine({}, takesJob(":", FOREIGN_JOB));
  await machine.start();
  await machine.untilGone();
  expect(machine.calls.only("job")).toEqual(["job refused"]);
  expect(machine.read("log")).toContain("This machine was rented for owner/repo 42 1, not for owner/other 42 1.");
});

test.concurrent.each([
  ["run", "GITHUB_REPOSITORY=owner/repo GITHUB_RUN_ID=43 GITHUB_RUN_ATTEMPT=1"],
  ["attempt", "GITHUB_REPOSITORY=owner/repo GITHUB_RUN_ID=42 GITHUB_RUN_ATTEMPT=2"],
  ["no run at all", ""],
])("refuses the job of another %s", async (_, job) => {
  await using machine = await testMachine({}, takesJob(":", job));
  await machine.start();
  await machine.untilGone();
  expect(machine.calls.only("job")).toEqual(["job refused"]);
});

test.concurrent("does not keep the machine for a refused job that goes on", async () => {
  await using machine = await testMachine({}, `${takesJob(":", FOREIGN_JOB)}\n${waits(7200)}`);
  await machine.start();
  await machine.untilGone();
  expect(machine.calls.only("job", "SIGINT", "DELETE").slice(0, 3)).toEqual(["job refused", "SIGINT", "DELETE → 200"]);
});

/** As the real runner: a worker runs the hook, then, whatever that said, steps with always(). */
const BY_WORKER = `cat >runner/bin/Runner.Worker <<'END'
#!/bin/bash
${FOREIGN_JOB} "$ACTIONS_RUNNER_HOOK_JOB_STARTED"
echo "a step with always()" >>"$ONSTART_TEST/calls.log"
END
chmod +x runner/bin/Runner.Worker
echo 'Running job: test'
runner/bin/Runner.Worker
call worker ended with $?`;

test.concurrent("lets no step of a refused job run, not even one with always()", async () => {
  await using machine = await testMachine({ commands: { cat: 'exec /usr/bin/cat "$@"' } }, BY_WORKER);
  await machine.start();
  await machine.untilGone();
  expect(machine.calls.only("worker", "a")).toEqual(["worker ended with 137"]);
  expect(machine.read("log")).toContain("This machine was rented for owner/repo 42 1, not for owner/other 42 1.");
});
