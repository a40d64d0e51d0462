import { expect } from "vitest";
import type { RunningStage, StageResult } from "../../simulator/actions/stage.ts";
import type { Scenario } from "../../simulator/scenario/scenario.ts";
import { destruction } from "../../simulator/service/rentals/instance-record.ts";
import { noteIn } from "../support/main-notes.ts";
import { test } from "../support/scenario.ts";
import { BUILD_JOB, gpuJob, RENT_JOB, type SimulatedSession, until } from "../support/simulated-session.ts";

const CREATE = "createInstance";
const IGNORES_CANCEL = gpuJob(["trap '' INT", "sleep infinity"]);

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

test("a cancel while it waits for a job: nothing was rented", async ({ start }) => {
  const session = await start({ jobs: [RENT_JOB, BUILD_JOB, { ...gpuJob(), needs: ["build"] }] });
  await cancelMain(session, await session.mainUntil("No job asks for the GPU runner yet"));

  const post = await session.endWithoutRenting();
  expect(post.log).toContain("Nothing was rented.");
});

const IN_ITS_CREATE: [phase: string, world: Scenario, said: string, isNoted: boolean][] = [
  [
    "the machine boots",
    { offers: [{ id: 11, simulate: { statuses: [{ after: 1, actual_status: "loading" }] } }] },
    " is loading.",
    true,
  ],
  [
    "its create is under way, and answers soon",
    { faults: [{ operation: CREATE, kind: "delay", seconds: 3, when: "after" }] },
    "",
    true,
  ],
  [
    "its create is under way, and never answers",
    { faults: [{ operation: CREATE, kind: "never-answer", when: "after" }] },
    "",
    false,
  ],
  [
    "the instance of a create without an answer is looked for",
    {
      faults: [
        { operation: CREATE, kind: "lose-answer" },
        { operation: CREATE, kind: "visibility-lag", seconds: 30 },
      ],
    },
    "looks for it by its label.",
    false,
  ],
];

test.for(IN_ITS_CREATE)(
  "a cancel while %s: post destroys it, by its id or by its label",
  async ([, scenario, said, isNoted], { start }) => {
    const session = await start({ scenario });
    const stage = await session.mainUntil(said);
    await until(() => session.instances().length === 1, "the create");
    const main = await cancelMain(session, stage);
    const id = session.instances()[0]?.id;
    expect(noteIn(main.state, "created_1")).toBe(isNoted ? String(id) : undefined);

    const post = await session.endClean();
    expect(post.log).toContain(`Instance ${id} is destroyed.`);
    expect(session.instances()).toHaveLength(1);
  },
);

test("a cancel while a job runs: post leaves the machine until its runner has ended the job", async ({ start }) => {
  const session = await start({
    jobs: [RENT_JOB, gpuJob(["trap 'sleep 9; exit 1' INT", "while true; do sleep 1; done"])],
  });
  await cancelMain(session, await session.mainUntil("busy with "));
  const from = session.sim.clock.now();

  const post = await session.endClean();
  expect(post.log).toMatch(/Rented: instance \d+\. If this step is ended before .*curl -X DELETE/);
  expect(session.run.job("test")).toMatchObject({ status: "completed", conclusion: "cancelled" });
  const [end] = session.instances().map((instance) => destruction(instance)?.at);
  expect(Number(end) - from).toBeLessThan(30_000);
});

test("post is killed 10 s after such a cancel: the machine ends itself when its job has ended", async ({ start }) => {
  const session = await start({ jobs: [RENT_JOB, IGNORES_CANCEL] });
  await cancelMain(session, await session.mainUntil("busy with "));
  const from = session.sim.clock.now();

  const post = session.step.startPost();
  await until(() => session.sim.clock.now() >= from + 10_000, "the time of its end");
  post.kill("SIGKILL");
  await post.done;
  await until(() => session.sim.service.books.billingNow().length === 0, "the end of the bill");
  expect(session.instances()).toHaveLength(1);
  expect(session.stillBilling()).toBe("still billing: 0 instances");
});
