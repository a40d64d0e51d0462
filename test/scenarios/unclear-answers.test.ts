import { expect, test } from "vitest";
import { gpuJob, RENT_JOB, startSession, until } from "../support/simulated-session.ts";

/** An unclear answer is no evidence: neither that a machine is gone, nor that nobody works on it. */

const LONG_JOB = gpuJob(["sleep 200", "echo 12 passed"]);

test.concurrent("a machine without heartbeat is not taken away from the job that runs on it", async () => {
  await using session = await startSession({ jobs: [RENT_JOB, LONG_JOB] });
  const stage = session.step.startMain();
  await until(() => stage.log().includes("busy with "), "the job to run");
  session.sim.service.update(Number(session.instances()[0]?.id), { actual_status: "unknown" });

  const main = await stage.done;
  expect(main.exitCode, main.log).toBe(0);
  expect(session.run.job("test").conclusion).toBe("success");
  expect(session.instances()).toHaveLength(1);

  await session.endClean();
});

test.concurrent("while GitHub refuses to say whether the runner is online, a machine that runs is kept", async () => {
  await using session = await startSession({ jobs: [RENT_JOB, LONG_JOB], with: { "online-timeout": "30s" } });
  const body = { message: "API rate limit exceeded" };
  session.sim.github.setFaults([
    { operation: "getRunner", kind: "status", status: 403, body, times: 40 },
    { operation: "removeRunner", kind: "status", status: 403, body, times: 10 },
    { operation: "listJobs", kind: "status", status: 403, body, nth: 2, times: 10 },
  ]);

  const main = await session.step.startMain().done;
  expect(session.run.job("test").conclusion).toBe("success");
  expect(main.exitCode, main.log).toBe(0);
  expect(session.instances()).toHaveLength(1);

  await session.endClean();
});

test.concurrent("a fresh machine that no answer shows yet is not believed to be gone", async () => {
  await using session = await startSession({ scenario: { visibilityLagSeconds: 30 }, jobs: [RENT_JOB, LONG_JOB] });
  const stage = session.step.startMain();
  await until(() => stage.log().includes("It bills from now on"), "the machine");
  stage.cancel();
  await stage.done;
  session.sim.service.setFaults([
    {
      operation: "destroyInstance",
      kind: "status",
      status: 404,
      body: { success: false, error: "no_such_instance" },
      times: 2,
    },
  ]);

  const post = await session.endClean();
  expect(post.log).toContain("is destroyed.");
});

test.concurrent("a GitHub App's token that expires while the machine is held takes nothing from the job", async () => {
  await using session = await startSession({ jobs: [RENT_JOB, LONG_JOB] });
  const stage = session.step.startMain();
  await until(() => stage.log().includes("busy with "), "the job to run");
  const body = { message: "Bad credentials" };
  session.sim.github.setFaults([
    { operation: "getRunner", kind: "status", status: 401, body, times: 1000 },
    { operation: "removeRunner", kind: "status", status: 401, body, times: 1000 },
    { operation: "listRunners", kind: "status", status: 401, body, times: 1000 },
  ]);
  // The heartbeat is lost, too: the runner would be asked about.
  session.sim.service.update(Number(session.instances()[0]?.id), { actual_status: "unknown" });

  const main = await stage.done;
  expect(main.exitCode, main.log).toBe(0);
  expect(session.run.job("test").conclusion).toBe("success");
  const post = await session.endClean();
  expect(post.log).toContain("A runner registration may be left over; GitHub drops it within a day.");
});

test.concurrent("a page of HTML instead of the instance, while it boots, says nothing about it: the machine is kept", async () => {
  await using session = await startSession({ jobs: [RENT_JOB, LONG_JOB] });
  const stage = session.step.startMain();
  await until(() => stage.log().includes("It bills from now on"), "the machine");
  session.sim.service.setFaults([
    { operation: "listInstances", caller: "account", kind: "text", text: "<html>One moment, please</html>", times: 2 },
  ]);

  const main = await stage.done;
  expect(main.exitCode, main.log).toBe(0);
  expect(main.log).toContain("The service gave no usable answer; asking again");
  expect(session.run.job("test").conclusion).toBe("success");
  expect(session.instances()).toHaveLength(1);

  await session.endClean();
});
