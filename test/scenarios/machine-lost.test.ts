import { expect } from "vitest";
import { destruction } from "../../simulator/service/rentals/instance-record.ts";
import { test } from "../support/scenario.ts";
import { gpuJob, RENT_JOB, until } from "../support/simulated-session.ts";

test("a machine is destroyed, and GitHub drops the next one's runner, while the job still waits: others are rented for it", async ({
  start,
}) => {
  const session = await start({
    // So that a machine is rented for a job that no machine may take yet.
    with: { "wait-for-job": "0s" },
    jobs: [RENT_JOB, { ...gpuJob(), status: "waiting" }],
  });
  const stage = await session.mainUntil("machine 1: ready, its runner is online");
  session.sim.service.update(Number(session.instances()[0]?.id), "destroyed");
  await until(() => stage.log().includes("machine 2: ready, its runner is online"), "the second machine");
  session.sim.github.dropRunner(Number(session.sim.github.runners().at(-1)?.id));
  session.run.job("test").setStatus("queued");

  const main = await stage.done;
  expect(main.exitCode, main.log).toBe(0);
  const [first, second, third] = session.instances();
  expect(session.instances()).toHaveLength(3);
  // The machine is not taken again, and it was destroyed before there was another one.
  expect(second?.offer.machine_id).not.toBe(first?.offer.machine_id);
  expect(first && destruction(first)?.at).toBeLessThan(Number(second?.createdAt));
  expect(session.run.job("test").conclusion).toBe("success");
  // Later steps see the machine that did the job.
  expect(main.outputs["instance-id"]).toBe(String(third?.id));
  expect(session.run.job("test").runnerName).toBe(main.outputs["runner-name"]);
});

test("an approval is asked for while the machine boots: it goes, and another one is rented when it is given", async ({
  start,
}) => {
  const statuses = [
    { after: 1, actual_status: "loading" },
    { after: 90, actual_status: "running" },
  ];
  const session = await start({ scenario: { offers: [{ id: 11, simulate: { statuses } }] } });
  const stage = session.step.startMain();
  await until(() => session.instances().length === 1, "the first machine");
  session.run.job("test").setStatus("waiting");
  await until(() => stage.log().includes("machine 1: gone."), "the end of what nobody needs");
  expect(stage.log()).toContain("'test' waits for an approval or its concurrency group: nothing is rented for it.");
  expect(session.stillBilling()).toBe("still billing: 0 instances");
  session.run.job("test").setStatus("queued");

  const main = await stage.done;
  expect(main.exitCode, main.log).toBe(0);
  expect(session.instances()).toHaveLength(2);
  expect(session.run.job("test").conclusion).toBe("success");
});
