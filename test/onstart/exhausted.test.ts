import { appendFileSync, existsSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { eachMachine } from "./support/each-machine.ts";
import { takesJob } from "./support/listener.ts";
import { deadlineIn, HAS_CONTAINERS, type TestMachine, testMachine } from "./support/test-machine.ts";

/** Root has no limit of its own; another user's is the same shortage as that of a container. */
const AS_USER = { isRoot: false };
const isRoot = process.getuid?.() === 0;

/** Makes processes until there are no more. */
const TAKES_ALL_PROCESSES = "(exec 2>/dev/null; while true; do /usr/bin/sleep 7200 & done) &";

/**
 * Takes each place for a process, from a session of its own; bash would end by that. The guard may use half of them,
 * so that it has none either when its own work frees some.
 */
const PERL = "/usr/bin/perl";
const TAKES_EACH_PLACE = `guard=$(readlink "$ONSTART_TEST/ghr/lock")
/usr/bin/prlimit --pid "\${guard%.*}" --nproc=30:30
/usr/bin/setsid ${PERL} -e 'while (defined(my $child = fork)) {
  if ($child == 0) { sleep 7200; exit }
}
open my $full, ">", "$ENV{ONSTART_TEST}/full";
sleep 7200' &>/dev/null &
until [[ -e $ONSTART_TEST/full ]]; do :; done`;

/** Lets the guard, and none but it, make no process, or as many as all others. */
async function limitGuard(machine: TestMachine, processes: number): Promise<void> {
  const [pid = ""] = readlinkSync(join(machine.folder, "ghr/lock")).split(".");
  expect(await machine.run(`/usr/bin/prlimit --pid ${pid} --nproc=${processes}:`)).toBe(0);
}

function timesItBegan(machine: TestMachine): number {
  return machine.read("log").split("Giving the machine back").length - 1;
}

test.skipIf(!isRoot).concurrent("ends a job that took all processes at the deadline", async () => {
  const job = takesJob(`sleep 7200 & ${TAKES_ALL_PROCESSES} wait`);
  await using machine = await testMachine({ ...AS_USER, env: deadlineIn(240) }, job);
  await machine.run(`ulimit -u 60; bash ${machine.script}`);
  await machine.untilGone();
  expect(machine.calls.only("job", "DELETE")).toEqual(["job started", "DELETE → 200"]);
});

test.skipIf(!isRoot).concurrent("gives back as soon as it can make a process again", async () => {
  const listener = takesJob("until [[ -e $ONSTART_TEST/over ]]; do sleep 5; done");
  await using machine = await testMachine(AS_USER, listener);
  await machine.start();
  await machine.until(() => machine.calls.only("job").length > 0);
  await limitGuard(machine, 1);
  await machine.run(': >"$ONSTART_TEST/over"');
  // Bash tries for 15 s, fails, and restarts itself by exec.
  await machine.until(() => timesItBegan(machine) === 2);
  expect(machine.calls.only("DELETE")).toEqual([]);
  await limitGuard(machine, 10_000);
  await machine.untilGone();
});

test
  .skipIf(!(HAS_CONTAINERS && existsSync(PERL)))
  .concurrent("stops everything when a job's processes leave no place for a request, tried three times", async () => {
    await using machine = await testMachine(AS_USER, takesJob(TAKES_EACH_PLACE));
    // Images make processes when bash starts, as one with nvm does: there are none to be had.
    appendFileSync(join(machine.folder, "bash_env"), '[[ $0 != ?(/usr/bin/)bash ]] || : "$(:)"\n');
    // Real seconds pass here: bash's own 15 s at each try, and a guard that began anew.
    const ended = machine.runContained(`ulimit -u 60; bash ${machine.script}; /usr/bin/sleep 7200; :`);
    await machine.until(() => machine.read("log").includes("ghr: Stopping everything.") && !machine.isAlive());
    const [before = ""] = machine.read("log").split("ghr: Stopping everything.");
    expect(before.split("Giving the machine back")).toHaveLength(1 + 3);
    expect(machine.calls.only("DELETE")).toEqual([]);
    await ended;
  });

eachMachine({
  "lets the kernel take the job's processes first where memory is short": {
    runner: takesJob('read -r score </proc/$BASHPID/oom_score_adj; call score "$score"'),
    calls: { score: ["score 500"] },
  },
});
