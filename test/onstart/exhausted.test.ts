import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { takesJob } from "./support/listener.ts";
import { testMachine } from "./support/test-machine.ts";

const PYTHON = "/usr/bin/python3";
/** Root has no limit of its own; another user's is the same shortage as that of a container. */
const AS_USER = { isRoot: false };
const isPossible = process.getuid?.() === 0 && existsSync(PYTHON);

/** Makes processes for so many real seconds, and takes each place that becomes free. */
const TAKES_ALL_PROCESSES = `import os, sys, time
end = time.time() + float(sys.argv[1])
while time.time() < end:
    try:
        if os.fork() == 0:
            time.sleep(max(0, end - time.time()))
            os._exit(0)
    except BlockingIOError:
        time.sleep(0.01)`;

function takesAllProcesses(seconds: number): string {
  return `${PYTHON} -c '${TAKES_ALL_PROCESSES}' ${seconds} &`;
}

function fewProcesses(script: string): string {
  return `ulimit -u 60; bash ${script}`;
}

test.skipIf(!isPossible).concurrent("ends a job that took all processes at the deadline", async () => {
  await using machine = await testMachine(AS_USER, takesJob(`sleep 7200 & ${takesAllProcesses(7200)} wait`));
  machine.env.GHR_DEADLINE = String(Math.floor(Date.now() / 1000) + 120);
  await machine.run(fewProcesses(machine.script));
  await machine.untilGone();
  expect(machine.calls.only("job", "DELETE")).toEqual(["job started", "DELETE → 200"]);
  expect(machine.read("log")).not.toContain("fork: retry");
});

test
  .skipIf(!isPossible)
  .concurrent("gives back when a job left so many processes that none can be made for a while", async () => {
    const leaves = `set -m; ${takesAllProcesses(17)} set +m; sleep 100`;
    await using machine = await testMachine(AS_USER, takesJob(leaves));
    await machine.run(fewProcesses(machine.script));
    await machine.untilGone();
    expect(machine.calls.only("DELETE")).toEqual(["DELETE → 200"]);
    // Bash gave up, and began anew.
    expect(machine.read("log").match(/Giving the machine back/g)?.length).toBeGreaterThan(1);
  });

test.concurrent("lets the kernel take the job's processes first where memory is short", async () => {
  const looks = 'read -r score </proc/$BASHPID/oom_score_adj; call score "$score"';
  await using machine = await testMachine({}, takesJob(looks));
  await machine.start();
  await machine.untilGone();
  expect(machine.calls.only("score")).toEqual(["score 500"]);
});
