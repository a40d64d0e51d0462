import { expect, test } from "vitest";
import { BOTH_WAYS } from "./support/image.ts";
import { FOREIGN_JOB, RAN_JOB, takesJob, waits } from "./support/listener.ts";
import { runFunctions } from "./support/run-functions.ts";
import { deadlineIn, machineThatWent } from "./support/test-machine.ts";

test.concurrent.each(BOTH_WAYS)(
  "stops the runner first when no job comes, then gives the machine back: SIGINT $sigint",
  async ({ way }) => {
    await using machine = await machineThatWent({ ...way, env: { GHR_IDLE_TIMEOUT: "30" } }, waits(7200));
    expect(machine.calls.only("listener", "SIGINT", "DELETE")).toEqual(["listener run", "SIGINT", "DELETE → 200"]);
    // The runner has gone by itself before the machine does.
    expect(machine.read("log")).toMatch(
      /No job for this machine.*\n.*The runner ended with code 0.*\n.*Giving the machine back/,
    );
  },
);

test.concurrent.each(BOTH_WAYS)(
  "gives the machine back when the idle runner does not stop: SIGINT $sigint",
  async ({ way }) => {
    await using machine = await machineThatWent(
      { ...way, env: { GHR_IDLE_TIMEOUT: "0" } },
      `trap '' INT\n${waits(7200)}`,
    );
    expect(machine.calls.only("SIGINT", "DELETE")).toEqual(["DELETE → 200"]);
  },
);

test.concurrent.each([
  ["once a job started", takesJob(waits(150))],
  ["once its hook let a job in, whatever the runner prints", takesJob(waits(150)).replace("Running job", "A job")],
  [
    "while a job that came downloads its actions, before its hook",
    `echo 'Running job: test'\n${waits(150)}\n${takesJob()}`,
  ],
])("is not idle %s", async (_, listener) => {
  await using machine = await machineThatWent({ env: { GHR_IDLE_TIMEOUT: "0" } }, listener);
  expect(machine.calls.only("job", "SIGINT")).toEqual(RAN_JOB);
});

test.concurrent("refuses the job of another repository", async () => {
  await using machine = await machineThatWent({}, takesJob(":", FOREIGN_JOB));
  expect(machine.calls.only("job")).toEqual(["job refused"]);
  expect(machine.read("log")).toContain("This machine was rented for owner/repo 42 1, not for owner/other 42 1.");
});

test.each([
  ["itself", "owner/repo 42 1", true],
  ["another repository", "owner/other 42 1", false],
  ["another run", "owner/repo 43 1", false],
  ["another attempt", "owner/repo 42 2", false],
  ["an attempt that begins alike", "owner/repo 42 11", false],
  ["no run at all", "  ", false],
])("lets no job in but of its own run and attempt: %s", (_, job, isOwn) => {
  const lines = `GHR_REPOSITORY=owner/repo GHR_RUN_ID=42 GHR_RUN_ATTEMPT=1 failure=''; write_hook
export GITHUB_REPOSITORY GITHUB_RUN_ID GITHUB_RUN_ATTEMPT; IFS=' ' read -r GITHUB_REPOSITORY GITHUB_RUN_ID GITHUB_RUN_ATTEMPT <<<"$1"
./job-started.sh`;
  const { status, files } = runFunctions(lines, job);
  expect({ status, files }).toEqual({
    status: isOwn ? 0 : 1,
    files: isOwn ? ["accepted", "job-started.sh"] : ["job-started.sh", "refused"],
  });
});

test.concurrent.each(BOTH_WAYS)(
  "does not keep the machine for a refused job that goes on: SIGINT $sigint",
  async ({ way }) => {
    await using machine = await machineThatWent(way, `${takesJob(":", FOREIGN_JOB)}\n${waits(7200)}`);
    expect(machine.calls.only("job", "SIGINT", "DELETE").slice(0, 3)).toEqual([
      "job refused",
      "SIGINT",
      "DELETE → 200",
    ]);
  },
);

/**
 * As the real runner: a worker runs the hook, then, whatever that said, steps with always(). On a
 * signal the listener tells the worker to cancel; only one that ends by itself stores its log.
 */
const BY_WORKER = `cat >runner/bin/Runner.Worker <<'END'
#!/bin/bash
trap 'cancelled=yes; sleep 10; kill "$hook"' TERM
(${FOREIGN_JOB} exec "$ACTIONS_RUNNER_HOOK_JOB_STARTED") >job.log 2>&1 &
hook=$!
wait "$hook"
if [[ $cancelled ]]; then echo "stored $(<job.log)"; else echo "a step with always()"; fi >>"$ONSTART_TEST/calls.log"
END
chmod +x runner/bin/Runner.Worker
echo 'Running job: test'
runner/bin/Runner.Worker &
worker=$!
trap 'call SIGINT; kill "$worker"' INT
trap 'call SIGTERM; kill "$worker"' TERM
while kill -0 "$worker" 2>/dev/null; do wait "$worker"; done`;
/** The worker has 25 s to end by itself, and takes 10: with the usual factor a busy computer took the rest. */
const OF_WORKER = { commands: { cat: 'exec /usr/bin/cat "$@"' }, factor: 10 };
const REASON = "stored This machine was rented for owner/repo 42 1, not for owner/other 42 1.";

test.concurrent.each(BOTH_WAYS)(
  "lets no step of a refused job run, not even one with always(), and its stored log tells why: SIGINT $sigint",
  async ({ way }) => {
    await using machine = await machineThatWent({ ...way, ...OF_WORKER }, BY_WORKER);
    expect(machine.calls.only("SIGINT", "stored", "a")).toEqual(["SIGINT", REASON]);
  },
);

test.concurrent("ends the worker of a refused job whose runner is deaf before any of its steps", async () => {
  const deaf = BY_WORKER.replace(/trap 'call SIGINT.*/, "trap '' INT");
  await using machine = await machineThatWent(OF_WORKER, deaf);
  expect(machine.calls.only("stored", "a")).toEqual([]);
});

/** An interrupted runner, to which a job came at that very moment. */
const meets = (sign: string, seconds = 100) => `trap 'call SIGINT; ${sign}' INT
${waits(7200)}
${waits(seconds)}
call job ended`;

test.concurrent.each([
  ["a worker began", "mkdir runner/_diag; touch runner/_diag/Worker_20261123-180000-utc.log"],
  ["the runner says so", 'echo "Running job: test"'],
])("lets a job end that met the signal to an idle runner: %s", async (_, sign) => {
  await using machine = await machineThatWent({ env: { GHR_IDLE_TIMEOUT: "0" } }, meets(sign));
  expect(machine.calls.only("SIGINT", "job", "DELETE")).toEqual(["SIGINT", "job ended", "DELETE → 200"]);
  const said = " ghr: A job came as the runner was stopped.\n";
  expect(machine.read("log").split(said)).toHaveLength(2);
});

test.concurrent("ends a job that met the signal to an idle runner, and hangs, at the deadline", async () => {
  await using machine = await machineThatWent(
    { env: { GHR_IDLE_TIMEOUT: "0", ...deadlineIn(240) } },
    meets("touch accepted", 7200),
  );
  expect(machine.read("log")).toContain("Time is up after ");
});
