import { expect, test } from "vitest";
import type { StageResult } from "../../simulator/actions/stage.ts";
import type { Fault } from "../../simulator/scenario/fault.ts";
import { destruction } from "../../simulator/service/rentals/instance-record.ts";
import { shownError } from "../support/shown-error.ts";
import {
  ENDLESS_JOB,
  gpuJob,
  RENT_JOB,
  type SimulatedSession,
  startSession,
  until,
} from "../support/simulated-session.ts";

/** A ready machine whose main has ended: the rest is post's. `factor`: the speed of its time. */
async function rentAlone(factor?: number): Promise<SimulatedSession> {
  const session = await startSession({ with: { hold: "false" }, jobs: [RENT_JOB], ...(factor && { factor }) });
  await session.step.mainSucceeds();
  return session;
}

/** Where post uses all of its time but some seconds: those are as many of a busy computer's. */
const SLOWER = 8;

const DESTROY = { operation: "destroyInstance", caller: "account" } as const;

const PASSING: [string, Fault][] = [
  [
    "says success: false",
    { ...DESTROY, nth: 1, times: 2, kind: "status", status: 200, body: { success: false, msg: "try later" } },
  ],
  ["answers 500", { ...DESTROY, nth: 1, times: 6, kind: "status", status: 500 }],
  [
    "answers 429",
    {
      ...DESTROY,
      nth: 1,
      times: 3,
      kind: "text",
      status: 429,
      text: "API requests too frequent: endpoint threshold=3.0*1.0",
    },
  ],
  ["says yes and does nothing", { ...DESTROY, nth: 1, times: 2, kind: "status", status: 200, body: { success: true } }],
  ["does it and says nothing", { ...DESTROY, nth: 1, kind: "lose-answer" }],
  [
    "answers 403 once",
    {
      ...DESTROY,
      nth: 1,
      kind: "status",
      status: 403,
      body: { success: false, error: "not_authorized", msg: "try again" },
    },
  ],
];

test.concurrent.for(PASSING)("post asks until the machine is gone, when the service first %s", async ([, fault]) => {
  await using session = await rentAlone();
  session.sim.service.setFaults([fault]);

  const post = await session.endClean();
  expect(post.log).toContain(`Instance ${session.instances()[0]?.id} is destroyed.`);
  expect(post.summary).toContain("**Still rented: nothing.**");
});

test.concurrent("post goes on asking for three minutes: a service that is back by then gets the machine back", async () => {
  await using session = await rentAlone(SLOWER);
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

/** Nobody can destroy it, not even the machine itself. */
const LASTING: [string, Fault[]][] = [
  ["refuses to destroy for good", [{ operation: "destroyInstance", kind: "status", status: 500 }]],
  [
    "never answers",
    [
      { operation: "destroyInstance", kind: "never-answer" },
      { operation: "getInstance", kind: "never-answer" },
      { operation: "listInstances", kind: "never-answer" },
    ],
  ],
];

test.concurrent.for(LASTING)(
  "post fails before the platform ends it, and names the instance, when the service %s",
  async ([, faults]) => {
    await using session = await rentAlone();
    session.sim.service.setFaults(faults);
    const id = session.instances()[0]?.id;

    const post = await postWithinPatience(session);
    expect({ exitCode: post.exitCode, signal: post.signal }).toEqual({ exitCode: 1, signal: null });
    expect(shownError(post.log)).toMatchObject({
      name: "InstanceNotDestroyedError",
      message: expect.stringMatching(new RegExp(`^Instance ${id}\\b.* may still be billing`)),
      hint: expect.stringContaining("curl -X DELETE "),
    });
    expect(post.summary).toContain(`May still be billing: instance ${id}`);
    expect(session.stillBilling()).toBe("still billing: 1 instances");
  },
);

test.concurrent("the key is revoked meanwhile: post fails and names the instance, and the machine gives itself back", async () => {
  await using session = await rentAlone(SLOWER);
  const refused = { caller: "account", kind: "status", status: 401 } as const;
  session.sim.service.setFaults([
    { operation: "destroyInstance", ...refused },
    { operation: "getInstance", ...refused },
    { operation: "listInstances", ...refused },
  ]);

  const post = await postWithinPatience(session);
  expect({ exitCode: post.exitCode, signal: post.signal }).toEqual({ exitCode: 1, signal: null });
  expect(shownError(post.log).message).toContain(`Instance ${session.instances()[0]?.id}`);
  // Its runner is removed, so that no job can come to it, and its own key still works.
  expect(session.sim.github.runners()).toEqual([]);
  await until(
    () => session.instances().every((instance) => destruction(instance)?.by === "instance"),
    "the machine's end",
  );
  expect(session.stillBilling()).toBe("still billing: 0 instances");
});

/** After a cancel the platform ends post after 4 min 45 s. */
async function postWithinPatience(session: SimulatedSession): Promise<StageResult> {
  const stage = session.step.startPost();
  const forgive = session.sim.clock.after(285_000, () => stage.kill("SIGKILL"));
  const post = await stage.done;
  forgive();
  return post;
}

test.concurrent("main gives up on a machine that it can't destroy, and leaves it to post", async () => {
  const stuck = { statuses: [{ after: 1, actual_status: "loading" }] };
  await using session = await startSession({
    with: { "boot-timeout": "30s" },
    scenario: {
      offers: [{ id: 11, dph_base: 0.3, simulate: stuck }, { id: 12 }],
      faults: [{ ...DESTROY, kind: "status", status: 500 }],
    },
  });

  const main = await session.step.mainFails();
  expect(shownError(main.log)).toMatchObject({
    name: "InstanceNotDestroyedError",
    message: expect.stringContaining(`Instance ${session.instances()[0]?.id} may still be billing`),
  });
  // Two machines at once would be worse than a failed job.
  expect(session.instances()).toHaveLength(1);

  session.sim.service.setFaults([]);
  await session.endClean();
});

test.concurrent("never touches an instance that is not of this session, however similar its label", async () => {
  await using session = await startSession();
  const stage = session.step.startMain();
  await until(() => stage.log().includes("is labelled ghr1."), "the prefix");
  const prefix = /is labelled (\S+)\.…/.exec(stage.log())?.[1];
  const labels = ["somebody else's", `${prefix}x.1.99999999999`, `${prefix?.slice(0, -1)}.1.99999999999`, `${prefix}`];
  const ids: number[] = [];
  for (const [index, label] of labels.entries())
    ids.push(await rentByHand(session, [14, 15, 16, 17][index] ?? 0, label));

  expect((await stage.done).exitCode).toBe(0);
  await session.step.postSucceeds();
  expect(session.sim.service.books.billingNow().map(({ id }) => id)).toEqual(ids);
  expect(
    session.sim.service.journal.of("destroyInstance").filter(({ path }) => ids.some((id) => path.includes(String(id)))),
  ).toEqual([]);
  expect(session.stillBilling()).toBe("still billing: 4 instances");
});

async function rentByHand(session: SimulatedSession, offer: number, label: string): Promise<number> {
  for (;;) {
    const answer = await fetch(`${session.sim.service.url}/api/v0/asks/${offer}/`, {
      method: "PUT",
      headers: { authorization: `Bearer ${session.sim.service.apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({ image: "ubuntu:24.04", label, disk: 10 }),
    });
    // The service's minimum interval between creates.
    if (answer.status === 429) continue;
    const { new_contract: id } = (await answer.json()) as { new_contract: number };
    return id;
  }
}

test.concurrent("sixteen machines, each of which the service must be told twice: all are gone within post's time", async () => {
  const offers = Array.from({ length: 16 }, (_, index) => ({ id: 100 + index, machine_id: 40_000 + index }));
  const jobs = offers.map((_, index) => ({ ...gpuJob(), name: `test ${index}` }));
  await using session = await startSession({
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

test.concurrent("post is told to stop: at once it says what may bill and how to destroy it, and goes on", async () => {
  await using session = await startSession({ jobs: [RENT_JOB, ENDLESS_JOB] });
  const stage = session.step.startMain();
  await until(() => session.run.job("test").status === "in_progress", "the GPU job");
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
