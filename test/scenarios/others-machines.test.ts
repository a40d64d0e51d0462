import { expect, test } from "vitest";
import { destruction } from "../../simulator/service/rentals/instance-record.ts";
import { RENT_JOB, startSession } from "../support/simulated-session.ts";

/** What somebody else rents with the same key. It has the first id. */
const OTHERS = { id: 7_001_001, label: "my own work" };

test("an instance that a later step wrote into post's state is left alone, and ours is destroyed", async () => {
  await using session = await startSession({
    with: { hold: "false" },
    jobs: [RENT_JOB],
    // As a line in GITHUB_ENV reaches post: main has no state, and ours outranks it.
    env: ({ service }) => ({ STATE_created_9: String(service.leaveBehind(OTHERS.label).id) }),
  });
  await session.step.mainSucceeds();
  const post = await session.step.startPost().done;

  const [others, ours] = session.instances();
  expect(others).toMatchObject(OTHERS);
  expect(others && destruction(others)).toBeUndefined();
  expect(ours && destruction(ours)?.by).toBe("account");
  expect(post.exitCode).toBe(0);
  expect(post.log).toMatch(/^::warning::Post's notes hold entries that main did not write: created_9\. /m);
  expect(post.log).toContain(`Instance ${OTHERS.id} was named as one of this run, and its label says that it is not`);
});

test.each([
  ["refused create", 400],
  ["good create", 200],
])(
  "an instance that the answer of a %s names, under another label, is left alone by main and post",
  async (_what, status) => {
    await using session = await startSession({
      scenario: {
        faults: [
          {
            operation: "createInstance",
            kind: "status",
            nth: 1,
            status,
            body: { success: status === 200, new_contract: OTHERS.id, msg: "the offer was changed" },
          },
        ],
      },
      env: ({ service }) => ({ OTHERS: String(service.leaveBehind(OTHERS.label).id) }),
    });
    const main = await session.step.mainSucceeds();
    const post = await session.step.startPost().done;

    const [others, ours] = session.instances();
    expect(others && destruction(others)).toBeUndefined();
    expect(ours && destruction(ours)).toBeDefined();
    expect(main.log).toContain(`Instance ${OTHERS.id} was named as one of this run, and its label says that it is not`);
    expect(post.exitCode).toBe(0);
  },
);

test("an id that nobody can look up until post's end is named as one that may bill", async () => {
  await using session = await startSession({
    factor: 20,
    with: { hold: "false" },
    jobs: [RENT_JOB],
    scenario: { faults: [{ operation: "getInstance", instance: 990, kind: "status", status: 500, caller: "account" }] },
    env: { STATE_created_9: "990" },
  });
  await session.step.mainSucceeds();
  const post = await session.step.startPost().done;
  expect(post.exitCode).toBe(1);
  expect(post.log).toContain("Instance 990");
  expect(session.stillBilling()).toBe("still billing: 0 instances");
});
