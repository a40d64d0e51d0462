import { expect } from "vitest";
import type { StageResult } from "../../simulator/actions/stage.ts";
import type { Fault } from "../../simulator/scenario/fault.ts";
import { type Start, test } from "../support/scenario.ts";
import { shownError } from "../support/shown-error.ts";
import { ENDLESS_JOB, gpuJob, RENT_JOB, type SimulatedSession, until } from "../support/simulated-session.ts";

/** A ready machine whose main has ended: the rest is post's. `factor`: the speed of its time. */
async function rentAlone(start: Start, factor?: number): Promise<SimulatedSession> {
  const session = await start({ with: { hold: "false" }, jobs: [RENT_JOB], ...(factor && { factor }) });
  await session.step.mainSucceeds();
  return session;
}

/** Where post uses all of its time but some seconds: those are as many of a busy computer's. */
const SLOWER = 8;

const DESTROY = { operation: "destroyInstance", caller: "account" } as const;
const answers = (nth: number, status: number, body: object) =>
  ({ ...DESTROY, nth, kind: "status", status, body }) as const;
/** What the service says before it does it, one answer after the other. */
const PASSING: Fault[] = [
  answers(1, 200, { success: false, msg: "try later" }),
  answers(2, 500, {}),
  { ...DESTROY, nth: 3, kind: "text", status: 429, text: "API requests too frequent: endpoint threshold=3.0*1.0" },
  // It says yes, and does nothing.
  answers(4, 200, { success: true }),
  answers(5, 403, { success: false, error: "not_authorized", msg: "try again" }),
  { ...DESTROY, nth: 6, kind: "lose-answer" },
];

test("post asks until the machine is gone, whatever the service answers before", async ({ start }) => {
  const session = await rentAlone(start);
  session.sim.service.setFaults(PASSING);

  const post = await session.endClean();
  expect(session.sim.service.journal.of("destroyInstance").length).toBeGreaterThanOrEqual(PASSING.length);
  expect(post.log).toContain(`Instance ${session.instances()[0]?.id} is destroyed.`);
  expect(post.summary).toContain("**Still rented: nothing.**");
});

test("post asks for three minutes: a service that is back by then gets the machine back", async ({ start }) => {
  const session = await rentAlone(start, SLOWER);
  session.sim.service.setFaults([{ ...DESTROY, kind: "status", status: 503 }]);
  const stage = session.step.startPost();
  await until(() => session.sim.service.journal.of("destroyInstance").length > 0, "the first try");
  // Of the 3 min 30 s; the rest is for a busy computer.
  session.sim.clock.after(170_000, () => session.sim.service.setFaults([]));

  const post = await stage.done;
  expect(post.exitCode, post.log).toBe(0);
  expect(post.summary).toContain("**Still rented: nothing.**");
  // Within the service's own intervals: it never had to refuse for haste.
  expect(post.log).not.toContain("too frequent");
  expect(session.stillBilling()).toBe("still billing: 0 instances");
});

/** After a cancel the platform ends post after 4 min 45 s: it must have failed by itself before. */
async function postFailsInTime(session: SimulatedSession): Promise<StageResult> {
  const stage = session.step.startPost();
  const forgive = session.sim.clock.after(285_000, () => stage.kill("SIGKILL"));
  const post = await stage.done;
  forgive();
  expect({ exitCode: post.exitCode, signal: post.signal }, post.log).toEqual({ exitCode: 1, signal: null });
  return post;
}

/** Nobody can destroy it, not even the machine itself. */
const LASTING: [string, Fault[]][] = [
  ["refuses to destroy for good", [{ operation: "destroyInstance", kind: "status", status: 500 }]],
  [
    "never answers",
    (["destroyInstance", "getInstance", "listInstances"] as const).map((operation) => ({
      operation,
      kind: "never-answer",
    })),
  ],
];

test.for(LASTING)(
  "post fails before the platform ends it, and names the instance, when the service %s",
  async ([, faults], { start }) => {
    const session = await rentAlone(start);
    session.sim.service.setFaults(faults);
    const id = session.instances()[0]?.id;

    const post = await postFailsInTime(session);
    expect(shownError(post.log)).toMatchObject({
      name: "InstanceNotDestroyedError",
      message: expect.stringMatching(new RegExp(`^Instance ${id}\\b.* may still be billing`)),
      hint: expect.stringContaining("curl -X DELETE "),
    });
    expect(post.summary).toContain(`May still be billing: instance ${id}`);
    expect(session.stillBilling()).toBe("still billing: 1 instances");
  },
);

test("the key is revoked meanwhile: post fails and names the instance, and the machine gives itself back", async ({
  start,
}) => {
  const session = await rentAlone(start, SLOWER);
  const operations = ["destroyInstance", "getInstance", "listInstances"] as const;
  session.sim.service.setFaults(
    operations.map((operation) => ({ operation, caller: "account", kind: "status", status: 401 })),
  );

  const post = await postFailsInTime(session);
  expect(shownError(post.log).message).toContain(`Instance ${session.instances()[0]?.id}`);
  // Its runner is removed, so that no job can come to it, and its own key still works.
  expect(session.sim.github.runners()).toEqual([]);
  await until(() => session.destroyers()[0] === "instance", "the machine's end");
  expect(session.stillBilling()).toBe("still billing: 0 instances");
});

test("main gives up on a machine that it can't destroy, and leaves it to post", async ({ start }) => {
  const stuck = { statuses: [{ after: 1, actual_status: "loading" }] };
  const session = await start({
    with: { "boot-timeout": "30s" },
    scenario: {
      offers: [{ id: 11, dph_base: 0.3, simulate: stuck }, { id: 12 }],
      faults: [{ ...DESTROY, kind: "status", status: 500 }],
    },
  });

  expect(await session.errorOfMain()).toMatchObject({
    name: "InstanceNotDestroyedError",
    message: expect.stringContaining(`Instance ${session.instances()[0]?.id} may still be billing`),
  });
  // Two machines at once would be worse than a failed job.
  expect(session.instances()).toHaveLength(1);

  session.sim.service.setFaults([]);
});

test("sixteen machines, of which the service must be told twice: all go within post's time", async ({ start }) => {
  const offers = Array.from({ length: 16 }, (_, index) => ({ id: 100 + index, machine_id: 40_000 + index }));
  const jobs = offers.map((_, index) => ({ ...gpuJob(), name: `test ${index}` }));
  const session = await start({
    // Requests that leave in time must not arrive in a heap.
    factor: SLOWER,
    machines: false,
    scenario: { offers, statuses: [{ after: 0, actual_status: "loading" }] },
    jobs: [RENT_JOB, ...jobs],
    with: { machines: "16", "machines-per-repository": "16", hedge: "false" },
  });
  const stage = session.step.startMain();
  await until(() => session.instances().length === 16, "the last create");
  stage.kill("SIGKILL");
  await stage.done;
  session.sim.service.setFaults([
    { ...DESTROY, nth: 1, times: 16, kind: "status", status: 200, body: { success: true } },
  ]);

  const post = await session.endClean();
  expect(post.log).not.toContain("too frequent");
  const asked = session.sim.service.journal.of("destroyInstance").map(({ path }) => path);
  expect(asked).toHaveLength(32);
  expect(new Set(asked).size).toBe(16);
});

test("post is told to stop: at once it says what may bill and how to destroy it, and goes on", async ({ start }) => {
  const session = await start({ jobs: [RENT_JOB, ENDLESS_JOB] });
  const stage = await session.mainUntilJobRuns();
  stage.kill("SIGKILL");
  await stage.done;
  session.sim.service.setFaults([{ ...DESTROY, nth: 1, kind: "delay", seconds: 20, when: "before" }]);
  const ending = session.step.startPost();
  await until(() => ending.log().includes("Destroy the machine"), "the destruction");
  ending.kill("SIGINT");

  const post = await ending.done;
  const id = session.instances()[0]?.id;
  const told = post.log.indexOf(`::error title=The post step is told to stop::Rented: instance ${id}. `);
  expect(told).toBeGreaterThan(-1);
  expect(post.log.slice(told)).toContain("curl -X DELETE");
  expect(post.log.indexOf(`Instance ${id} is destroyed.`)).toBeGreaterThan(told);
  expect(post.exitCode).toBe(0);
  expect(session.stillBilling()).toBe("still billing: 0 instances");
});
