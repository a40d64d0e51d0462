import { expect } from "vitest";
import { test } from "../support/scenario.ts";
import { ENDLESS_JOB, gpuJob, RENT_JOB, until } from "../support/simulated-session.ts";

// An unclear answer is no evidence: neither that a machine is gone, nor that nobody works on it.

const LONG_JOB = gpuJob(["sleep 200", "echo 12 passed"]);
const RATE_LIMIT = { kind: "status", status: 403, body: { message: "API rate limit exceeded" } } as const;
const EXPIRED = { kind: "status", status: 401, body: { message: "Bad credentials" } } as const;

test("pages instead of lists while it boots, and a GitHub that refuses to say whether its runner is online: it is kept", async ({
  start,
}) => {
  const session = await start({ jobs: [RENT_JOB, LONG_JOB], with: { "online-timeout": "30s" } });
  session.sim.github.setFaults([
    { operation: "getRunner", ...RATE_LIMIT, times: 40 },
    { operation: "removeRunner", ...RATE_LIMIT, times: 10 },
    { operation: "listJobs", ...RATE_LIMIT, nth: 2, times: 10 },
  ]);
  const stage = await session.mainUntil("It bills from now on");
  session.sim.service.setFaults([
    { operation: "listInstances", caller: "account", kind: "text", text: "<html>One moment, please</html>", times: 2 },
  ]);

  const main = await stage.done;
  expect(main.exitCode, main.log).toBe(0);
  expect(main.log).toContain("The service gave no usable answer; asking again");
  expect(session.run.job("test").conclusion).toBe("success");
  expect(session.instances()).toHaveLength(1);
});

test("no heartbeat, and a token that expires meanwhile: nothing is taken from the job", async ({ start }) => {
  const session = await start({ jobs: [RENT_JOB, LONG_JOB] });
  const stage = await session.mainUntil("busy with ");
  session.sim.github.setFaults([
    { operation: "getRunner", ...EXPIRED },
    { operation: "removeRunner", ...EXPIRED },
    { operation: "listRunners", ...EXPIRED },
  ]);
  session.sim.service.update(Number(session.instances()[0]?.id), { actual_status: "unknown" });

  const main = await stage.done;
  expect(main.exitCode, main.log).toBe(0);
  expect(session.run.job("test").conclusion).toBe("success");
  expect(session.instances()).toHaveLength(1);
  const post = await session.step.postSucceeds();
  expect(session.stillBilling()).toBe("still billing: 0 instances");
  expect(post.log).toContain("A runner registration may be left over; GitHub drops it within a day.");
});

test("an outage of the service and of GitHub does not take the machine away", async ({ start }) => {
  const session = await start({ jobs: [RENT_JOB, ENDLESS_JOB] });
  const stage = await session.mainUntil("busy with ");
  session.sim.service.setFaults([{ operation: "listInstances", kind: "status", status: 503 }]);
  session.sim.github.setFaults([{ operation: "listJobs", kind: "status", status: 500 }]);
  const looks = () => session.sim.service.journal.of("listInstances").filter(({ status }) => status === 503).length;
  await until(() => looks() >= 8, "some looks in vain");
  expect(session.destroyers()).toEqual([undefined]);
  expect(session.run.job("test").status).toBe("in_progress");
  session.sim.service.setFaults([]);
  session.sim.github.setFaults([]);
  session.run.job("test").complete();

  const main = await stage.done;
  expect(main.exitCode, main.log).toBe(0);
  expect(session.instances()).toHaveLength(1);
});
