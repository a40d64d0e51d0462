import { expect } from "vitest";
import type { Fault } from "../../simulator/scenario/fault.ts";
import { test } from "../support/scenario.ts";
import { RENT_JOB, type SimulatedSession } from "../support/simulated-session.ts";

/** What somebody else rents with the same key. It has the first id. */
const OTHERS = { id: 7_001_001, label: "my own work" };
const LEFT_ALONE = `Instance ${OTHERS.id} was named as one of this run, and its label says that it is not`;
const ALONE = { with: { hold: "false" }, jobs: [RENT_JOB] };

/** A create's answer that names it. */
const namingOthers = (nth: number, status: number): Fault => ({
  operation: "createInstance",
  kind: "status",
  nth,
  status,
  body: { success: status === 200, new_contract: OTHERS.id, msg: "the offer was changed" },
});

test("an instance that a later step wrote into post's state is left alone, and ours is destroyed", async ({
  start,
}) => {
  const session = await start({
    ...ALONE,
    // As a line in GITHUB_ENV reaches post: main has no state, and ours outranks it.
    env: ({ service }) => ({ STATE_created_9: String(service.leaveBehind(OTHERS.label).id) }),
  });
  await session.step.mainSucceeds();

  const post = await session.step.postSucceeds();
  expect(session.instances()[0]).toMatchObject(OTHERS);
  expect(session.destroyers()).toEqual([undefined, "account"]);
  expect(post.log).toMatch(/^::warning::Post's notes hold entries that main did not write: created_9\. /m);
  expect(post.log).toContain(LEFT_ALONE);
});

test.for([400, 200])(
  "an instance that a create's answer %d names, under another label, is left alone by main and post",
  async (status, { start }) => {
    const session = await start({
      scenario: { faults: [namingOthers(1, status)] },
      env: ({ service }) => ({ OTHERS: String(service.leaveBehind(OTHERS.label).id) }),
    });

    const main = await session.step.mainSucceeds();
    await session.step.postSucceeds();
    expect(main.log).toContain(LEFT_ALONE);
    expect(session.destroyers()).toEqual([undefined, expect.any(String)]);
  },
);

test("an instance whose label is only similar to ours is never touched", async ({ start }) => {
  const session = await start();
  const stage = await session.mainUntil("is labelled ghr1.");
  const prefix = /is labelled (\S+)\.…/.exec(stage.log())?.[1];
  const labels = ["somebody else's", `${prefix}x.1.99999999999`, `${prefix?.slice(0, -1)}.1.99999999999`, `${prefix}`];
  const others = labels.map((label, index) => session.sim.service.leaveBehind(label, 14 + index).id);

  const main = await stage.done;
  expect(main.exitCode, main.log).toBe(0);
  await session.step.postSucceeds();
  expect(session.sim.service.books.billingNow().map(({ id }) => id)).toEqual(others);
  expect(destroysOf(session, others)).toEqual([]);
  expect(session.stillBilling()).toBe("still billing: 4 instances");
});

/** The requests to destroy one of these. */
function destroysOf({ sim }: SimulatedSession, ids: readonly number[]): string[] {
  const paths = sim.service.journal.of("destroyInstance").map(({ path }) => path);
  return paths.filter((path) => ids.some((id) => path.includes(String(id))));
}
