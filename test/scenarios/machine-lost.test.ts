import { expect, test } from "vitest";
import type { RunnerView } from "../../simulator/github/start-github.ts";
import { destruction } from "../../simulator/service/instance-record.ts";
import { shownError } from "../support/shown-error.ts";
import {
  BUILD_JOB,
  ENDLESS_JOB,
  gpuJob,
  RENT_JOB,
  startUse,
  type UseOfAction,
  until,
} from "../support/use-of-action.ts";

/** A job that asks for our label, and that GitHub keeps in its queue: it wants another label, too. */
const WAITING = { ...gpuJob(), labels: ["gpu-4711-1", "not-yet"] };
/** As if the second machine's runner took the job that waited, and did it. */
async function finishJob(use: UseOfAction): Promise<void> {
  use.run.job("test").setStatus("in_progress");
  use.run.job("test").complete();
}

function online(use: UseOfAction): RunnerView[] {
  return use.sim.github.runners().filter((runner) => runner.online);
}

test.for(["destroyed", "outbid"] as const)(
  "the machine is %s while its job still waits: another one is rented",
  async (change) => {
    await using use = await startUse({ jobs: [RENT_JOB, WAITING] });
    const stage = use.step.startMain();
    await until(() => stage.log().includes("1 waiting, 0 running"), "the first machine");
    const [first] = use.instances();
    use.sim.service.update(Number(first?.id), change);
    await until(() => use.instances().length === 2, "the second machine");
    // Its machine is not taken again, and what is left of it bills no more.
    const [, second] = use.instances();
    expect(second?.offer.machine_id).not.toBe(first?.offer.machine_id);
    expect(use.stillBilling()).toBe("still billing: 1 instances");
    await until(() => stage.log().includes(`Ready after`) && online(use).length === 1, "its runner");
    await until(() => stage.log().split("::group::Hold the machine").length === 3, "the second hold");
    await finishJob(use);

    const main = await stage.done;
    expect(main.exitCode).toBe(0);
    // Later steps see the machine that did the job.
    expect(main.outputs["instance-id"]).toBe(String(second?.id));
    expect((await use.step.startPost().done).exitCode).toBe(0);
    expect(use.stillBilling()).toBe("still billing: 0 instances");
  },
);

test("GitHub drops the runner while the job still waits: the machine is destroyed and another one is rented", async () => {
  await using use = await startUse({ jobs: [RENT_JOB, WAITING] });
  const stage = use.step.startMain();
  await until(() => stage.log().includes("1 waiting, 0 running"), "the first machine");
  use.sim.github.dropRunner(Number(online(use)[0]?.id));
  await until(() => use.instances().length === 2, "the second machine");
  expect(use.stillBilling()).toBe("still billing: 1 instances");
  await until(() => stage.log().split("::group::Hold the machine").length === 3, "the second hold");
  await finishJob(use);

  expect((await stage.done).exitCode).toBe(0);
  expect((await use.step.startPost().done).exitCode).toBe(0);
  expect(use.stillBilling()).toBe("still billing: 0 instances");
});

test("the machine is lost and nobody waits for it: nothing is rented until a job comes", async () => {
  await using use = await startUse({
    // It rents at once, the first time; the run's other job is still open.
    jobs: [RENT_JOB, BUILD_JOB, { ...gpuJob(), labels: WAITING.labels }],
  });
  const stage = use.step.startMain();
  await until(() => stage.log().includes("1 waiting, 0 running"), "the first machine");
  use.run.job("test").setStatus("waiting");
  use.sim.service.update(Number(use.instances()[0]?.id), "destroyed");
  await until(() => stage.log().includes("No job asks for the GPU runner yet"), "the wait");
  expect(use.instances()).toHaveLength(1);
  use.run.job("test").setStatus("queued");
  await until(() => use.instances().length === 2, "the second machine");
  await until(() => stage.log().split("::group::Hold the machine").length === 3, "the second hold");
  await finishJob(use);
  use.run.job("build").complete();

  expect((await stage.done).exitCode).toBe(0);
  expect((await use.step.startPost().done).exitCode).toBe(0);
  expect(use.stillBilling()).toBe("still billing: 0 instances");
});

test.for([
  ["destroyed by its owner", "destroyed"],
  ["outbid", "outbid"],
  ["offline", { actual_status: "offline" }],
] as const)("the machine is %s while its job runs: fails and says that it was lost", async ([, change]) => {
  await using use = await startUse({ jobs: [RENT_JOB, ENDLESS_JOB] });
  const stage = use.step.startMain();
  await until(() => stage.log().includes("1 running"), "the job");
  use.sim.service.update(Number(use.instances()[0]?.id), change);

  const main = await stage.done;
  expect(main.exitCode).toBe(1);
  expect(shownError(main.log)).toMatchObject({
    name: "HoldError",
    message: expect.stringMatching(
      /^The machine was lost while the GPU job ran on it \(https:\/\/github\.com\/.*\)\.$/,
    ),
    hint: expect.stringContaining("Re-run the failed jobs"),
  });
  expect(use.instances()).toHaveLength(1);

  const post = await use.step.startPost().done;
  expect(post.exitCode).toBe(0);
  expect(use.stillBilling()).toBe("still billing: 0 instances");
});

test("an outage of the service and of GitHub does not take the machine away", async () => {
  await using use = await startUse({ jobs: [RENT_JOB, ENDLESS_JOB] });
  const stage = use.step.startMain();
  await until(() => stage.log().includes("1 running"), "the job");
  use.sim.service.setFaults([
    { operation: "getInstance", caller: "account", kind: "status", status: 503 },
    { operation: "listInstances", kind: "refuse" },
  ]);
  use.sim.github.setFaults([{ operation: "listJobs", kind: "status", status: 500 }]);
  const looks = () => use.sim.service.journal.of("getInstance").filter(({ status }) => status === 503).length;
  await until(() => looks() >= 8, "some looks in vain");
  expect(use.instances().map((instance) => destruction(instance))).toEqual([undefined]);
  expect(use.run.job("test").status).toBe("in_progress");
  use.sim.service.setFaults([]);
  use.sim.github.setFaults([]);
  use.run.job("test").complete();

  const main = await stage.done;
  expect(main.exitCode).toBe(0);
  expect(use.instances()).toHaveLength(1);
  expect((await use.step.startPost().done).exitCode).toBe(0);
  expect(use.stillBilling()).toBe("still billing: 0 instances");
});
