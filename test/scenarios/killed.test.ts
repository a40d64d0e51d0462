import { expect, test } from "vitest";
import { destruction } from "../../simulator/service/rentals/instance-record.ts";
import { BUILD_JOB, ENDLESS_JOB, gpuJob, RENT_JOB, startSession, until } from "../support/simulated-session.ts";

test.concurrent("kill -9 before the create: nothing is rented, and post removes the runner that main could not write down", async () => {
  await using session = await startSession();
  // The runner is registered, and main is still waiting for the answer when it dies.
  session.sim.github.setFaults([
    { operation: "generateJitConfig", nth: 1, kind: "lose-answer" },
    { operation: "generateJitConfig", nth: 2, times: 99, kind: "never-answer" },
  ]);
  const stage = session.step.startMain();
  await until(() => session.sim.github.runners().length === 1, "the registration");
  stage.kill("SIGKILL");
  expect((await stage.done).signal).toBe("SIGKILL");
  expect(Object.keys(session.step.state)).toEqual(["session", "prefix", "context"]);

  const post = await session.endClean();
  expect(post.log).toContain("Nothing was rented.");
  expect(session.instances()).toEqual([]);
  expect(session.sim.github.runners()).toEqual([]);
});

test.concurrent.for(["before", "after"] as const)(
  "kill -9 in the create, %s it took effect: post finds the instance by its label and destroys it",
  async (side) => {
    await using session = await startSession({
      // However early it begins, the machine does not give itself back.
      jobs: [RENT_JOB, ENDLESS_JOB],
      scenario: {
        faults: [
          { operation: "createInstance", kind: "delay", seconds: 20, when: side === "before" ? "before" : "after" },
        ],
      },
    });
    const stage = session.step.startMain();
    await until(() => session.sim.service.journal.of("createInstance").length === 1, "the create");
    expect(session.instances()).toHaveLength(side === "before" ? 0 : 1);
    stage.kill("SIGKILL");
    await stage.done;
    // It was announced, and what came of it was not written down any more.
    expect(Object.keys(session.step.state)).toContain("pending_1");
    expect(Object.keys(session.step.state)).not.toContain("created_1");

    const post = await session.step.postSucceeds();
    expect(session.instances()).toHaveLength(1);
    expect(post.log).toContain(`Instance ${session.instances()[0]?.id} is destroyed.`);
    // On a quick machine the job had begun: GitHub drops such a runner when it misses it.
    await until(() => session.sim.github.runners().length === 0, "the end of its registration");
    expect(session.stillBilling()).toBe("still billing: 0 instances");
  },
);

test.concurrent("kill -9 after the create: post destroys the instance first of all, and says so", async () => {
  await using session = await startSession({ jobs: [RENT_JOB, ENDLESS_JOB] });
  const stage = session.step.startMain();
  await until(() => stage.log().includes("It bills from now on"), "the instance");
  stage.kill("SIGKILL");
  await stage.done;
  expect(session.stillBilling()).toBe("still billing: 1 instances");
  const before = session.sim.service.journal.entries.filter(({ caller }) => caller === "account").length;

  const post = await session.endClean();
  const [first] = session.sim.service.journal.entries.filter(({ caller }) => caller === "account").slice(before);
  expect(first?.operation).toBe("destroyInstance");
  expect(post.log).toContain(`Instance ${session.instances()[0]?.id} is destroyed.`);
  expect(post.summary).toContain(`| ${session.instances()[0]?.id} |`);
});

test.concurrent("kill -9 while it holds: post takes the machine from under the job, and only tells so, for main has failed", async () => {
  await using session = await startSession({ jobs: [RENT_JOB, ENDLESS_JOB] });
  const stage = session.step.startMain();
  await until(() => session.run.job("test").status === "in_progress", "the GPU job");
  stage.kill("SIGKILL");
  await stage.done;

  const post = await session.endClean();
  expect(post.log).toContain("::error title=The main step was cut off::The main step was killed: ");
  expect(post.log).toContain("What was rented is given back. No machine is left, while 'test' was running");
});

test.concurrent("neither main nor post lives on: the machine gives itself back when its job is over", async () => {
  await using session = await startSession();
  const stage = session.step.startMain();
  await until(() => session.run.job("test").status === "in_progress", "the GPU job");
  stage.kill("SIGKILL");
  await stage.done;

  await until(() => session.instances().every((instance) => destruction(instance)), "the machine's end");
  expect(session.run.job("test").conclusion).toBe("success");
  expect(session.instances().map((instance) => destruction(instance)?.by)).toEqual(["instance"]);
  expect(session.stillBilling()).toBe("still billing: 0 instances");
});

test.concurrent("neither main nor post lives on, and no job comes: the machine gives itself back after idle-timeout", async () => {
  await using session = await startSession({
    with: { "wait-for-job": "0s", "idle-timeout": "30s" },
    jobs: [RENT_JOB, BUILD_JOB, { ...gpuJob(), needs: ["build"] }],
  });
  const stage = session.step.startMain();
  await until(() => session.sim.github.runners().some(({ online }) => online), "the runner");
  stage.kill("SIGKILL");
  await stage.done;

  await until(() => session.instances().every((instance) => destruction(instance)), "the machine's end");
  expect(session.instances().map((instance) => destruction(instance)?.by)).toEqual(["instance"]);
  expect(session.stillBilling()).toBe("still billing: 0 instances");
});
