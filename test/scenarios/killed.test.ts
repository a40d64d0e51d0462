import { expect } from "vitest";
import type { RunningStage } from "../../simulator/actions/stage.ts";
import { test } from "../support/scenario.ts";
import { BUILD_JOB, ENDLESS_JOB, gpuJob, RENT_JOB, until } from "../support/simulated-session.ts";

/** As a hosted runner that dies ends it: without a last word. */
async function killMain(stage: RunningStage): Promise<void> {
  stage.kill("SIGKILL");
  expect((await stage.done).signal).toBe("SIGKILL");
}

test("kill -9 before the create: nothing is rented, and post removes the runner that main could not write down", async ({
  start,
}) => {
  const session = await start();
  // The runner is registered, and main is still waiting for the answer when it dies.
  session.sim.github.setFaults([
    { operation: "generateJitConfig", nth: 1, kind: "lose-answer" },
    { operation: "generateJitConfig", nth: 2, times: 99, kind: "never-answer" },
  ]);
  const stage = session.step.startMain();
  await until(() => session.sim.github.runners().length === 1, "the registration");
  await killMain(stage);
  expect(Object.keys(session.step.state)).toEqual(["session", "prefix", "context"]);

  const post = await session.endWithoutRenting();
  expect(post.log).toContain("Nothing was rented.");
});

test.for([
  ["before", 0],
  ["after", 1],
] as const)(
  "kill -9 in the create, %s it took effect: post finds the instance by its label and destroys it",
  async ([when, made], { start }) => {
    // It never runs: a job that its runner has acquired, and that post cancels with the run, would leave a runner.
    const simulate = { statuses: [{ after: 1, actual_status: "loading" }] };
    const session = await start({
      scenario: {
        offers: [{ id: 11, simulate }],
        faults: [{ operation: "createInstance", kind: "delay", seconds: 20, when }],
      },
    });
    const stage = session.step.startMain();
    await until(() => session.sim.service.journal.of("createInstance").length === 1, "the create");
    expect(session.instances()).toHaveLength(made);
    await killMain(stage);
    // It was announced, and what came of it was not written down any more.
    expect(Object.keys(session.step.state)).toContain("pending_1");
    expect(Object.keys(session.step.state)).not.toContain("created_1");

    const post = await session.endClean();
    expect(session.instances()).toHaveLength(1);
    expect(post.log).toContain(`Instance ${session.instances()[0]?.id} is destroyed.`);
  },
);

test("kill -9 after the create: post destroys the instance first of all, and says so", async ({ start }) => {
  const session = await start({ jobs: [RENT_JOB, ENDLESS_JOB] });
  await killMain(await session.mainUntil("It bills from now on"));
  expect(session.stillBilling()).toBe("still billing: 1 instances");
  const asked = () => session.sim.service.journal.entries.filter(({ caller }) => caller === "account");
  const before = asked().length;

  const post = await session.endClean();
  expect(asked()[before]?.operation).toBe("destroyInstance");
  expect(post.log).toContain(`Instance ${session.instances()[0]?.id} is destroyed.`);
  expect(post.summary).toContain(`| ${session.instances()[0]?.id} |`);
});

test("kill -9 while it holds: post takes the machine from under the job, and only tells so, for main has failed", async ({
  start,
}) => {
  const session = await start({ jobs: [RENT_JOB, ENDLESS_JOB] });
  await killMain(await session.mainUntilJobRuns());

  const post = await session.endClean();
  expect(post.log).toContain("::error title=The main step was cut off::The main step was killed: ");
  expect(post.log).toContain("What was rented is given back. No machine is left, while 'test' was running");
});

test("kill -9, and post never runs: the machine gives itself back when its job is over", async ({ start }) => {
  const session = await start();
  await killMain(await session.mainUntilJobRuns());

  await until(() => session.sim.service.books.billingNow().length === 0, "the machine's end");
  expect(session.run.job("test").conclusion).toBe("success");
  expect(session.destroyers()).toEqual(["instance"]);
  expect(session.stillBilling()).toBe("still billing: 0 instances");
});

test("kill -9, no post, and no job: the machine gives itself back after idle-timeout", async ({ start }) => {
  const session = await start({
    with: { "wait-for-job": "0s", "idle-timeout": "30s" },
    jobs: [RENT_JOB, BUILD_JOB, { ...gpuJob(), needs: ["build"] }],
  });
  const stage = session.step.startMain();
  await until(() => session.sim.github.runners().some(({ online }) => online), "the runner");
  await killMain(stage);

  await until(() => session.sim.service.books.billingNow().length === 0, "the machine's end");
  expect(session.destroyers()).toEqual(["instance"]);
  expect(session.stillBilling()).toBe("still billing: 0 instances");
});
