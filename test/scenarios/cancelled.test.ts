import { expect, test } from "vitest";
import type { RunningStage, StageResult } from "../../simulator/actions/stage.ts";
import { destruction } from "../../simulator/service/rentals/instance-record.ts";
import { noteIn } from "../support/main-notes.ts";
import {
  BUILD_JOB,
  gpuJob,
  RENT_JOB,
  type SimulatedSession,
  startSession,
  until,
} from "../support/simulated-session.ts";

/** Main must end on SIGINT: the platform's SIGTERM and SIGKILL come to processes that don't. */
async function cancelMain(session: SimulatedSession, stage: RunningStage): Promise<StageResult> {
  session.run.cancel();
  stage.cancel();
  const main = await stage.done;
  expect(main.log).toContain("Stopped by SIGINT. The post step gives back whatever is rented.");
  expect({ exitCode: main.exitCode, signal: main.signal }).toEqual({ exitCode: 1, signal: null });
  expect(main.log).not.toContain("::error");
  return main;
}

test("a cancel while it waits for a job: nothing was rented", async () => {
  await using session = await startSession({ jobs: [RENT_JOB, BUILD_JOB, { ...gpuJob(), needs: ["build"] }] });
  const stage = session.step.startMain();
  await until(() => stage.log().includes("No job asks for the GPU runner yet"), "the wait");
  await cancelMain(session, stage);

  const post = await session.endClean();
  expect(post.log).toContain("Nothing was rented.");
  expect(session.instances()).toEqual([]);
});

test("a cancel while the machine boots: post destroys it", async () => {
  const offers = [{ id: 11, simulate: { statuses: [{ after: 1, actual_status: "loading" }] } }];
  await using session = await startSession({ scenario: { offers } });
  const stage = session.step.startMain();
  await until(() => stage.log().includes(" is loading."), "the boot");
  await cancelMain(session, stage);

  await session.endClean();
  expect(session.sim.github.runners()).toEqual([]);
});

test("a cancel in a create that answers soon: its outcome is still written down", async () => {
  await using session = await startSession({
    scenario: { faults: [{ operation: "createInstance", kind: "delay", seconds: 3, when: "after" }] },
  });
  const stage = session.step.startMain();
  await until(() => session.instances().length === 1, "the create");
  const main = await cancelMain(session, stage);
  expect(noteIn(main.state, "created_1")).toBe(String(session.instances()[0]?.id));
  expect(session.instances()).toHaveLength(1);

  await session.endClean();
});

test("a cancel in a create that never answers: post finds the instance by its label", async () => {
  await using session = await startSession({
    scenario: { faults: [{ operation: "createInstance", kind: "never-answer", when: "after" }] },
  });
  const stage = session.step.startMain();
  await until(() => session.instances().length === 1, "the create");
  const main = await cancelMain(session, stage);
  expect(main.state).not.toHaveProperty("created_1");

  const post = await session.endClean();
  expect(post.log).toContain(`Instance ${session.instances()[0]?.id} is destroyed.`);
  expect(session.sim.github.runners()).toEqual([]);
});

test("a cancel while it looks for the instance of a create that gave no answer: post goes on looking", async () => {
  await using session = await startSession({
    scenario: {
      faults: [
        { operation: "createInstance", kind: "lose-answer" },
        { operation: "createInstance", kind: "visibility-lag", seconds: 30 },
      ],
    },
  });
  const stage = session.step.startMain();
  await until(() => stage.log().includes("looks for it by its label."), "the search");
  const main = await cancelMain(session, stage);
  expect(main.state).not.toHaveProperty("created_1");

  const post = await session.endClean();
  expect(post.log).toContain(`Instance ${session.instances()[0]?.id} is destroyed.`);
});

/** When the only instance was destroyed, in seconds after this moment of the simulated clock. */
function destroyedAfter(session: SimulatedSession, start: number): number {
  const [instance] = session.instances();
  const event = instance === undefined ? undefined : destruction(instance);
  if (event === undefined) throw new Error("Nothing was destroyed.");
  return (event.at - start) / 1000;
}

test("a cancel while a job runs: post leaves the machine until its runner has ended the job", async () => {
  await using session = await startSession({
    jobs: [RENT_JOB, gpuJob(["trap 'sleep 9; exit 1' INT", "while true; do sleep 1; done"])],
  });
  const stage = session.step.startMain();
  await until(() => stage.log().includes("busy with "), "the hold");
  await cancelMain(session, stage);

  const start = session.sim.clock.now();
  const post = await session.endClean();
  expect(post.log).toMatch(/Rented: instance \d+\. If this step is ended before .*curl -X DELETE/);
  expect(session.run.job("test")).toMatchObject({ status: "completed", conclusion: "cancelled" });
  expect(destroyedAfter(session, start)).toBeLessThan(30);
});

test("a cancel while it holds, of a job that ignores it: post sees that the machine is gone, and only tells of the job", async () => {
  await using session = await startSession({
    jobs: [RENT_JOB, gpuJob(["trap '' INT", "while true; do sleep 5; done"])],
  });
  const stage = session.step.startMain();
  await until(() => stage.log().includes("busy with "), "the hold");
  await cancelMain(session, stage);

  const post = await session.endClean();
  expect(post.log).toMatch(/Instance \d+ (is destroyed|was gone already)\./);
});

/** The job that a cancel can't end goes on for as long as its runner lets it. */
test.concurrent.each([0, 10, 29])(
  "post is killed %d s after a cancel while a job runs: the machine ends itself when its job has ended",
  async (seconds) => {
    await using session = await startSession({
      jobs: [RENT_JOB, gpuJob(["trap '' INT", "while true; do sleep 5; done"])],
    });
    const stage = session.step.startMain();
    await until(() => stage.log().includes("busy with "), "the hold");
    await cancelMain(session, stage);

    const start = session.sim.clock.now();
    const post = session.step.startPost();
    await until(() => session.sim.clock.now() >= start + seconds * 1000, "the time of its end");
    post.kill("SIGKILL");
    await post.done;
    await until(() => session.sim.service.books.billingNow().length === 0, "the end of the bill");
    expect(session.instances()).toHaveLength(1);
    expect(session.stillBilling()).toBe("still billing: 0 instances");
  },
);
