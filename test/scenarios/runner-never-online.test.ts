import { expect, test } from "vitest";
import type { Simulate } from "../../simulator/scenario/simulate.ts";
import { destruction } from "../../simulator/service/rentals/instance-record.ts";
import { shownError } from "../support/shown-error.ts";
import { ENDLESS_JOB, RENT_JOB, startSession, until } from "../support/simulated-session.ts";

function market(bad: Simulate) {
  return [{ id: 11, dph_base: 0.3, simulate: bad }, { id: 12 }];
}

test.concurrent("destroys a machine whose container hangs: its runner is not online within online-timeout", async () => {
  const offers = market({ machine: { onstart: "skip" } });
  await using session = await startSession({ with: { "online-timeout": "30s" }, scenario: { offers } });

  const main = await session.step.mainSucceeds();
  expect(main.log).toContain("its runner did not come online within online-timeout (30s)");
  const [bad] = session.instances();
  expect(bad && destruction(bad)?.by).toBe("account");
  expect(main.outputs["offer-id"]).toBe("12");

  await session.endClean();
});

test.concurrent("never lets a job onto a machine that can't prove that it can end itself", async () => {
  const offers = market({ instanceKey: "wrong" });
  await using session = await startSession({ with: { "online-timeout": "30s" }, scenario: { offers } });

  const main = await session.step.mainSucceeds();
  const [bad, good] = session.instances();
  expect(bad && destruction(bad)?.by).toBe("account");
  expect(good && main.outputs["instance-id"]).toBe(String(good?.id));
  expect(session.run.job("test").runnerName).toBe(main.outputs["runner-name"]);

  await session.endClean();
});

test.concurrent("takes another machine when nvidia-smi sees no GPU, which the bad one says before it gives itself back", async () => {
  await using session = await startSession({ scenario: { offers: market({ machine: { gpus: 0 } }) } });

  const main = await session.step.mainSucceeds();
  const [bad] = session.instances();
  expect(bad && destruction(bad)?.by).toBe("account");
  expect(main.log).toContain(
    "machine 1: failed: it gives itself back: nvidia-smi fails: No devices were found (code 6).",
  );
  expect(main.outputs["offer-id"]).toBe("12");

  await session.endClean();
});

test.concurrent("runs no program whose SHA-256 is not the one that GitHub names", async () => {
  await using session = await startSession({ with: { attempts: "2" } });
  session.sim.github.publishSha256("0".repeat(64));

  const main = await session.step.mainFails();
  expect(shownError(main.log).name).toBe("AttemptsExhaustedError");
  expect(shownError(main.log).message).toContain("it gives itself back: The runner has a wrong SHA-256.");
  expect(session.instances().map((instance) => destruction(instance)?.by)).toEqual(["account", "account"]);
  expect(session.run.job("test").status).toBe("queued");

  await session.endClean();
  expect(session.sim.github.runners()).toEqual([]);
});

test.concurrent("a machine that seems not to come online and runs the job all the same is never taken away", async () => {
  await using session = await startSession({ with: { "online-timeout": "2m" }, jobs: [RENT_JOB, ENDLESS_JOB] });
  const stage = session.step.startMain();
  await until(() => session.instances().length === 1, "the create");
  // The runner is shown late, the jobs can't be read: only its removal tells that it is busy.
  const stale = { id: 0, name: "stale", os: "linux", status: "offline", busy: false, labels: [] };
  session.sim.github.setFaults([
    { operation: "getRunner", kind: "status", status: 200, body: stale },
    { operation: "listJobs", kind: "status", status: 503 },
  ]);
  await until(() => session.run.job("test").status === "in_progress", "the GPU job");
  await until(() => session.sim.github.journal.of("removeRunner").length > 0, "the attempt to give it up");
  expect(session.sim.github.journal.of("removeRunner")[0]?.status).toBe(422);
  session.sim.github.setFaults([]);
  await until(() => stage.log().includes("busy with "), "the hold");
  session.run.job("test").complete();

  const main = await stage.done;
  expect(main.exitCode, main.log).toBe(0);
  expect(session.instances()).toHaveLength(1);
  await session.endClean();
});

test.concurrent("a machine whose runner GitHub can't be asked about is not given up for that", async () => {
  await using session = await startSession({ with: { "online-timeout": "30s" }, jobs: [RENT_JOB, ENDLESS_JOB] });
  const stage = session.step.startMain();
  await until(() => session.instances().length === 1, "the create");
  session.sim.github.setFaults([
    { operation: "getRunner", kind: "status", status: 503 },
    { operation: "listJobs", kind: "status", status: 503 },
  ]);
  // Long after online-timeout.
  const looks = () =>
    session.sim.service.journal.of("listInstances").filter(({ caller }) => caller === "account").length;
  await until(() => looks() >= 10, "some looks");
  expect(session.sim.github.journal.of("removeRunner")).toEqual([]);
  session.sim.github.setFaults([]);
  await until(() => stage.log().includes("busy with "), "the hold");
  session.run.job("test").complete();

  expect((await stage.done).exitCode).toBe(0);
  expect(session.instances()).toHaveLength(1);
  await session.endClean();
});
