import { expect, test } from "vitest";
import { FOREIGN_JOB, takesJob, waits } from "./support/listener.ts";
import { deadlineIn, type TestMachine, testMachine } from "./support/test-machine.ts";

const FAILS = `${takesJob()}; echo 'Job test completed with result: Failed'`;
const KEPT = "A job failed: kept for SSH for ";

async function failedMachine(keepSeconds: number, listener = FAILS): Promise<TestMachine> {
  const machine = await testMachine({}, listener);
  machine.env.GHR_KEEP_FAILED = String(keepSeconds);
  machine.env.GHR_JIT_2 = "two";
  return machine;
}

test.concurrent("keeps a machine whose job failed, starts no further runner, and says so", async () => {
  await using machine = await failedMachine(60);
  await machine.live();
  expect(machine.calls.only("listener", "DELETE")).toEqual(["listener run", "DELETE → 200"]);
  const root = `${machine.folder}/ghr`;
  expect(machine.read("log")).toContain(`${KEPT}60 s, or until ${root}/done exists.\n`);
  expect(machine.read("log")).toMatch(/ ghr: The look is over\.\n.* ghr: Giving the machine back\.\n/);
});

test.concurrent("keeps it until somebody has looked", async () => {
  await using machine = await failedMachine(6000);
  await machine.start();
  await machine.until(() => machine.read("log").includes(KEPT));
  await machine.run(': >"$GHR_ROOT/done"');
  await machine.untilGone();
  expect(machine.read("log")).toContain("The look is over.");
});

test.concurrent("keeps it at most to its deadline", async () => {
  await using machine = await failedMachine(6000);
  Object.assign(machine.env, deadlineIn(240));
  await machine.live();
  expect(machine.read("log")).toContain("Time is up after ");
});

test.concurrent("is not idle while it is kept", async () => {
  await using machine = await failedMachine(300);
  machine.env.GHR_IDLE_TIMEOUT = "0";
  await machine.live();
  expect(machine.read("log")).not.toContain("No job for this machine");
});

test.concurrent("does not begin a new job nor a new look when the container is restarted", async () => {
  await using machine = await failedMachine(6000);
  await machine.start();
  await machine.until(() => machine.read("log").includes(KEPT));
  machine.stop();
  await machine.live();
  expect(machine.calls.only("listener")).toHaveLength(1);
  expect(machine.read("log")).toContain("This machine has had its turn.");
});

test.concurrent.each([
  ["its job succeeded", `${takesJob()}; echo 'Job test completed with result: Succeeded'`],
  ["its job was cancelled", `${takesJob()}; echo 'Job test completed with result: Canceled'`],
  ["its runner failed without a job", "exit 1"],
  ["it refused a foreign job", `${takesJob(":", FOREIGN_JOB)}; echo 'Job test completed with result: Failed'`],
])("keeps no machine when %s", async (_, listener) => {
  await using machine = await failedMachine(6000, listener);
  await machine.live();
  expect(machine.read("log")).not.toContain(KEPT);
  expect(machine.calls.only("listener")).toHaveLength(2);
});

test.concurrent("keeps a machine only for its own last job: one that failed before a restart counts no more", async () => {
  const listener = `[[ -e $ONSTART_TEST/second ]] && { ${takesJob()}; exit; }
: >"$ONSTART_TEST/second"; ${FAILS}; ${waits(7200)}`;
  await using machine = await failedMachine(6000, listener);
  await machine.start();
  await machine.until(() => machine.read("log").includes("completed with result: Failed"));
  machine.stop();
  await machine.live();
  expect(machine.calls.only("listener")).toHaveLength(2);
  expect(machine.read("log")).not.toContain(KEPT);
});
