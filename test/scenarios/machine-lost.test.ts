import { expect, test } from "vitest";
import { destruction } from "../../simulator/service/rentals/instance-record.ts";
import type { InstanceChange } from "../../simulator/service/rentals/rentals.ts";
import { readLostJobs } from "../../src/github/annotations.ts";
import { shownError } from "../support/shown-error.ts";
import {
  ENDLESS_JOB,
  gpuJob,
  RENT_JOB,
  type SimulatedSession,
  startSession,
  until,
} from "../support/simulated-session.ts";

/** It is open, and no machine may take it before the test lets it into the queue. */
const HELD_BACK = { ...gpuJob(), status: "waiting" } as const;
/** So that a machine is rented all the same. */
const RENT_AT_ONCE = { "wait-for-job": "0s" };

/** The machine is lost, and at the same moment the job comes into the queue. */
async function loseMachine(session: SimulatedSession, change: InstanceChange): Promise<void> {
  session.sim.service.update(Number(session.instances().at(-1)?.id), change);
  await until(() => session.events.some((line) => line.includes("container ended")), "the end of its container");
  session.run.job("test").setStatus("queued");
}

test.concurrent.for(["destroyed", "outbid"] as const)(
  "the machine is %s while its job still waits: another one is rented",
  async (change) => {
    await using session = await startSession({ with: RENT_AT_ONCE, jobs: [RENT_JOB, HELD_BACK] });
    const stage = session.step.startMain();
    await until(() => stage.log().includes(": ready, its runner is online"), "the first machine");
    await loseMachine(session, change);

    const main = await stage.done;
    expect(main.exitCode, main.log).toBe(0);
    expect(session.instances()).toHaveLength(2);
    const [first, second] = session.instances();
    // The machine is not taken again, and it was destroyed before there was another one.
    expect(second?.offer.machine_id).not.toBe(first?.offer.machine_id);
    expect(first && destruction(first)?.at).toBeLessThan(Number(second?.createdAt));
    expect(session.run.job("test").conclusion).toBe("success");
    // Later steps see the machine that did the job.
    expect(main.outputs["instance-id"]).toBe(String(second?.id));
    expect(session.run.job("test").runnerName).toBe(main.outputs["runner-name"]);

    await session.endClean();
  },
);

test.concurrent("GitHub drops the runner of a machine that works: another one is rented for the job", async () => {
  await using session = await startSession({ with: RENT_AT_ONCE, jobs: [RENT_JOB, HELD_BACK] });
  const stage = session.step.startMain();
  await until(() => stage.log().includes(": ready, its runner is online"), "the first machine");
  session.sim.github.dropRunner(Number(session.sim.github.runners()[0]?.id));
  session.run.job("test").setStatus("queued");

  const main = await stage.done;
  expect(main.exitCode, main.log).toBe(0);
  expect(session.instances()).toHaveLength(2);
  expect(session.run.job("test").conclusion).toBe("success");

  await session.endClean();
});

test.concurrent("an approval is asked for while the machine boots: nobody waits for it any more, and another one is rented when it is given", async () => {
  const slow = {
    statuses: [
      { after: 1, actual_status: "loading" },
      { after: 90, actual_status: "running" },
    ],
  };
  await using session = await startSession({
    jobs: [RENT_JOB, gpuJob()],
    scenario: { offers: [{ id: 11, dph_base: 0.3, simulate: slow }] },
  });
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
  await session.endClean();
});

test.concurrent("a machine that is lost counts as an attempt: with attempts: 1 there is no second one", async () => {
  await using session = await startSession({ with: { ...RENT_AT_ONCE, attempts: "1" }, jobs: [RENT_JOB, HELD_BACK] });
  const stage = session.step.startMain();
  await until(() => stage.log().includes(": ready, its runner is online"), "the machine");
  await loseMachine(session, "outbid");

  const main = await stage.done;
  expect(main.exitCode, main.log).toBe(1);
  expect(shownError(main.log)).toMatchObject({
    name: "AttemptsExhaustedError",
    message: expect.stringMatching(
      /the machine was lost: the service stopped it\. 'test' did not run, .* Nothing is rented any more\.$/,
    ),
  });
  expect(session.instances()).toHaveLength(1);
  expect(session.stillBilling()).toBe("still billing: 0 instances");

  const post = await session.endClean();
  expect(post.log).toContain("GitHub cancels the run: its GPU job can have no machine.");
});

test.concurrent.for([
  ["destroyed by its owner", "destroyed", /vanished/, /^Use "Re-run failed jobs"/],
  [
    "stopped, as without credit",
    "outbid",
    /was stopped by the service/,
    /^Look at the account's credit.*"Re-run failed jobs"/,
  ],
] as const)("the machine is %s while its job runs: fails and says that it was lost", async ([, change, went, hint]) => {
  await using session = await startSession({ jobs: [RENT_JOB, ENDLESS_JOB] });
  const stage = session.step.startMain();
  await until(() => stage.log().includes("busy with "), "the job");
  session.sim.service.update(Number(session.instances()[0]?.id), change);

  const main = await stage.done;
  expect(main.exitCode, main.log).toBe(1);
  expect(shownError(main.log)).toMatchObject({
    name: "MachineLostError",
    message: expect.stringMatching(
      new RegExp(`^Instance \\d+ ${went.source} under 'test' \\(https://github\\.com/.*\\): not your tests\\. `),
    ),
    hint: expect.stringMatching(hint),
  });
  // The one annotation, by which the sweep finds the lost job.
  const told = main.log.split("\n").filter((line) => line.startsWith("::error "));
  expect(told.map(readLostJobs)).toEqual([[session.run.job("test").id]]);
  expect(session.instances()).toHaveLength(1);

  await session.endClean();
});

test.concurrent("the machine is offline until GitHub misses its runner and ends the job: lost, not the job's fault", async () => {
  await using session = await startSession({ jobs: [RENT_JOB, ENDLESS_JOB] });
  const stage = session.step.startMain();
  await until(() => stage.log().includes("busy with "), "the job");
  session.sim.service.update(Number(session.instances()[0]?.id), { actual_status: "offline" });
  const seen = () => session.sim.service.journal.of("listInstances").length;
  const before = seen();
  // Three minutes: its runner is missed for two of them.
  await until(() => seen() >= before + 12, "a long silence");
  expect(session.instances().map((instance) => destruction(instance))).toEqual([undefined]);
  session.run.job("test").complete("failure");

  const main = await stage.done;
  expect(main.exitCode, main.log).toBe(1);
  expect(shownError(main.log)).toMatchObject({
    name: "MachineLostError",
    message: expect.stringMatching(/^Instance \d+ fell silent under 'test' .*: not your tests\. /),
  });
  expect(session.instances()).toHaveLength(1);
  await session.endClean();
});

test.concurrent("an outage of the service and of GitHub does not take the machine away", async () => {
  await using session = await startSession({ jobs: [RENT_JOB, ENDLESS_JOB] });
  const stage = session.step.startMain();
  await until(() => stage.log().includes("busy with "), "the job");
  session.sim.service.setFaults([{ operation: "listInstances", kind: "status", status: 503 }]);
  session.sim.github.setFaults([{ operation: "listJobs", kind: "status", status: 500 }]);
  const looks = () => session.sim.service.journal.of("listInstances").filter(({ status }) => status === 503).length;
  await until(() => looks() >= 8, "some looks in vain");
  expect(session.instances().map((instance) => destruction(instance))).toEqual([undefined]);
  expect(session.run.job("test").status).toBe("in_progress");
  session.sim.service.setFaults([]);
  session.sim.github.setFaults([]);
  session.run.job("test").complete();

  const main = await stage.done;
  expect(main.exitCode, main.log).toBe(0);
  expect(session.instances()).toHaveLength(1);
  await session.endClean();
});
