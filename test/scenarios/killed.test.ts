import { expect, test } from "vitest";
import { destruction } from "../../simulator/service/rentals/instance-record.ts";
import { BUILD_JOB, ENDLESS_JOB, gpuJob, RENT_JOB, startUse, until } from "../support/use-of-action.ts";

test.concurrent("kill -9 before the create: nothing is rented, and post removes the runner that main could not write down", async () => {
  await using use = await startUse();
  // The runner is registered, and main is still waiting for the answer when it dies.
  use.sim.github.setFaults([
    { operation: "generateJitConfig", nth: 1, kind: "lose-answer" },
    { operation: "generateJitConfig", nth: 2, times: 99, kind: "never-answer" },
  ]);
  const stage = use.step.startMain();
  await until(() => use.sim.github.runners().length === 1, "the registration");
  stage.kill("SIGKILL");
  expect((await stage.done).signal).toBe("SIGKILL");
  expect(Object.keys(use.step.state)).toEqual(["session", "prefix", "context"]);

  const post = await use.endClean();
  expect(post.log).toContain("Nothing was rented.");
  expect(use.instances()).toEqual([]);
  expect(use.sim.github.runners()).toEqual([]);
});

test.concurrent.for(["before", "after"] as const)(
  "kill -9 in the create, %s it took effect: post finds the instance by its label and destroys it",
  async (side) => {
    await using use = await startUse({
      // However early it begins, the machine does not give itself back.
      jobs: [RENT_JOB, ENDLESS_JOB],
      scenario: {
        faults: [
          { operation: "createInstance", kind: "delay", seconds: 20, when: side === "before" ? "before" : "after" },
        ],
      },
    });
    const stage = use.step.startMain();
    await until(() => use.sim.service.journal.of("createInstance").length === 1, "the create");
    expect(use.instances()).toHaveLength(side === "before" ? 0 : 1);
    stage.kill("SIGKILL");
    await stage.done;
    // It was announced, and what came of it was not written down any more.
    expect(Object.keys(use.step.state)).toContain("pending_1");
    expect(Object.keys(use.step.state)).not.toContain("created_1");

    const post = await use.step.postSucceeds();
    expect(use.instances()).toHaveLength(1);
    expect(post.log).toContain(`Instance ${use.instances()[0]?.id} is destroyed.`);
    // On a quick machine the job had begun: GitHub drops such a runner when it misses it.
    await until(() => use.sim.github.runners().length === 0, "the end of its registration");
    expect(use.stillBilling()).toBe("still billing: 0 instances");
  },
);

test.concurrent("kill -9 after the create: post destroys the instance first of all, and says so", async () => {
  await using use = await startUse({ jobs: [RENT_JOB, ENDLESS_JOB] });
  const stage = use.step.startMain();
  await until(() => stage.log().includes("It bills from now on"), "the instance");
  stage.kill("SIGKILL");
  await stage.done;
  expect(use.stillBilling()).toBe("still billing: 1 instances");
  const before = use.sim.service.journal.entries.filter(({ caller }) => caller === "account").length;

  const post = await use.endClean();
  const [first] = use.sim.service.journal.entries.filter(({ caller }) => caller === "account").slice(before);
  expect(first?.operation).toBe("destroyInstance");
  expect(post.log).toContain(`Instance ${use.instances()[0]?.id} is destroyed.`);
  expect(post.summary).toContain(`| ${use.instances()[0]?.id} |`);
});

test.concurrent("kill -9 while it holds: post takes the machine from under the job, and only tells so, for main has failed", async () => {
  await using use = await startUse({ jobs: [RENT_JOB, ENDLESS_JOB] });
  const stage = use.step.startMain();
  await until(() => use.run.job("test").status === "in_progress", "the GPU job");
  stage.kill("SIGKILL");
  await stage.done;

  const post = await use.endClean();
  expect(post.log).toContain("No machine is left, while 'test' was running");
});

test.concurrent("neither main nor post lives on: the machine gives itself back when its job is over", async () => {
  await using use = await startUse();
  const stage = use.step.startMain();
  await until(() => use.run.job("test").status === "in_progress", "the GPU job");
  stage.kill("SIGKILL");
  await stage.done;

  await until(() => use.instances().every((instance) => destruction(instance)), "the machine's end");
  expect(use.run.job("test").conclusion).toBe("success");
  expect(use.instances().map((instance) => destruction(instance)?.by)).toEqual(["instance"]);
  expect(use.stillBilling()).toBe("still billing: 0 instances");
});

test.concurrent("neither main nor post lives on, and no job comes: the machine gives itself back after idle-timeout", async () => {
  await using use = await startUse({
    with: { "wait-for-job": "0s", "idle-timeout": "30s" },
    jobs: [RENT_JOB, BUILD_JOB, { ...gpuJob(), needs: ["build"] }],
  });
  const stage = use.step.startMain();
  await until(() => use.sim.github.runners().some(({ online }) => online), "the runner");
  stage.kill("SIGKILL");
  await stage.done;

  await until(() => use.instances().every((instance) => destruction(instance)), "the machine's end");
  expect(use.instances().map((instance) => destruction(instance)?.by)).toEqual(["instance"]);
  expect(use.stillBilling()).toBe("still billing: 0 instances");
});
