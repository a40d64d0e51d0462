import { expect, test } from "vitest";
import { eachMachine } from "./support/each-machine.ts";
import { ofHost } from "./support/image.ts";
import { FOREIGN_JOB, RAN_JOB, takesJob, waits } from "./support/listener.ts";
import { runFunctions } from "./support/run-functions.ts";
import { GIVEN_BACK } from "./support/stand-in-service.ts";
import { deadlineIn, type TestMachine } from "./support/test-machine.ts";

const AT_ONCE = { GHR_IDLE_TIMEOUT: "0" };
const OF_ANOTHER = "This machine was rented for owner/repo 42 1, not for owner/other 42 1.";

eachMachine({
  "stops the runner first when no job comes, then gives the machine back": {
    ...{ inBothWays: true, env: { GHR_IDLE_TIMEOUT: "30" }, runner: waits(7200) },
    calls: { "listener SIGINT DELETE": ["listener run", "SIGINT", GIVEN_BACK] },
    // The runner has gone by itself before the machine does.
    says: /No job for this machine.*\n.*The runner ended with code 0.*\n.*Giving the machine back/,
  },
  "gives the machine back when the idle runner does not stop": {
    ...{ inBothWays: true, env: AT_ONCE, runner: `trap '' INT\n${waits(7200)}` },
    calls: { "SIGINT DELETE": [GIVEN_BACK] },
  },
  "is not idle once its hook let a job in, whatever the runner prints": {
    ...{ env: AT_ONCE, runner: takesJob(waits(150)).replace("Running job", "A job") },
    calls: { "job SIGINT": RAN_JOB },
  },
  "is not idle while a job that came downloads its actions, before its hook": {
    ...{ env: AT_ONCE, runner: `echo 'Running job: test'\n${waits(150)}\n${takesJob()}` },
    calls: { "job SIGINT": RAN_JOB },
  },
  "refuses the job of another repository, and keeps no machine for one that goes on": {
    ...{ inBothWays: true, runner: `${takesJob(":", FOREIGN_JOB)}\n${waits(7200)}` },
    calls: { "job SIGINT DELETE": ["job refused", "SIGINT", GIVEN_BACK] },
    says: OF_ANOTHER,
  },
});

const HOSTILE = "o/'$(:>pwned)\"`:>pwned`;:>pwned;r";

test.each([
  ["itself", "owner/repo 42 1", true],
  ["another repository", "owner/other 42 1", false],
  ["another run", "owner/repo 43 1", false],
  ["another attempt", "owner/repo 42 2", false],
  ["an attempt that begins alike", "owner/repo 42 11", false],
  ["no run at all", "  ", false],
  ["itself, by a name that means something to bash", `${HOSTILE} 42 1`, true, HOSTILE],
  ["another one beside such a name", "owner/repo 42 1", false, HOSTILE],
])("lets no job in but of its own run and attempt: %s", (_, job, isOwn, ours = "owner/repo") => {
  const lines = `GHR_REPOSITORY=$2 GHR_RUN_ID=42 GHR_RUN_ATTEMPT=1 failure=''; write_hook
export GITHUB_REPOSITORY GITHUB_RUN_ID GITHUB_RUN_ATTEMPT; IFS=' ' read -r GITHUB_REPOSITORY GITHUB_RUN_ID GITHUB_RUN_ATTEMPT <<<"$1"
./job-started.sh`;
  const { status, files } = runFunctions(lines, job, ours);
  expect({ status, files }).toEqual({
    status: isOwn ? 0 : 1,
    files: isOwn ? ["accepted", "job-started.sh"] : ["job-started.sh", "refused"],
  });
});

/**
 * As the real runner: a worker runs the hook, then, whatever that said, steps with always(). On a
 * signal the listener tells the worker to cancel; only one that ends by itself stores its log.
 */
const BY_WORKER = `cat >runner/bin/Runner.Worker <<'END'
#!/bin/bash
trap 'cancelled=yes; sleep 10; kill $!' TERM
(${FOREIGN_JOB} exec "$ACTIONS_RUNNER_HOOK_JOB_STARTED") >job.log 2>&1 &
wait $!
if [[ $cancelled ]]; then echo "stored $(<job.log)"; else echo "a step with always()"; fi >>"$ONSTART_TEST/calls.log"
END
chmod +x runner/bin/Runner.Worker
echo 'Running job: test'
trap 'call SIGINT; kill $!' INT
trap 'call SIGTERM; kill $!' TERM
runner/bin/Runner.Worker &
while kill -0 $! 2>/dev/null; do wait $!; done`;
const IS_DEAF = BY_WORKER.replace(/trap 'call SIGINT.*/, "trap '' INT");
/** The worker has 25 s to end by itself, and takes 10: with the usual factor a busy computer took the rest. */
const OF_WORKER = { commands: { cat: ofHost("cat") }, factor: 5 };

/** An interrupted runner, to which a job came at that very moment. */
const meets = (sign: string, seconds = 100) => `trap 'call SIGINT; ${sign}' INT
${waits(7200)}
${waits(seconds)}
call job ended`;
const MET = {
  env: AT_ONCE,
  calls: { "SIGINT job DELETE": ["SIGINT", "job ended", GIVEN_BACK] },
  check: (machine: TestMachine) =>
    expect(machine.read("log").match(/ ghr: A job came as the runner was stopped\.$/gm)).toHaveLength(1),
};

eachMachine({
  "lets no step of a refused job run, not even one with always(), and its stored log tells why": {
    ...{ inBothWays: true, ...OF_WORKER, runner: BY_WORKER },
    calls: { "SIGINT stored a": ["SIGINT", `stored ${OF_ANOTHER}`] },
  },
  "ends the worker of a refused job whose runner is deaf before any of its steps": {
    ...{ ...OF_WORKER, runner: IS_DEAF },
    calls: { "stored a": [] },
  },
  "lets a job end that met the signal to an idle runner: a worker began": {
    ...MET,
    runner: meets("mkdir runner/_diag; touch runner/_diag/Worker_20261123-180000-utc.log"),
  },
  "lets a job end that met the signal to an idle runner: the runner says so": {
    ...MET,
    runner: meets('echo "Running job: test"'),
  },
  "ends a job that met the signal to an idle runner, and hangs, at the deadline": {
    env: { ...AT_ONCE, ...deadlineIn(240) },
    runner: meets("touch accepted", 7200),
    calls: { DELETE: [GIVEN_BACK] },
    says: "Time is up after ",
  },
});
