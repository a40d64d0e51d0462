import { expect, test } from "vitest";
import { shownError } from "../support/shown-error.ts";
import { gpuJob, RENT_JOB, startSession, UNHURRIED } from "../support/simulated-session.ts";

/** 0.40 USD per hour without storage: 0.0067 a minute. The shortest rental takes 8 minutes. */
const PLAIN = { dph_base: 0.4, storage_cost: 0, inet_down_cost: 0, inet_up_cost: 0 };
const SHORT = { "boot-timeout": "1m", "online-timeout": "1m" };
/** It can't be interrupted: only the end of its machine ends it. */
const STUBBORN_JOB = gpuJob(["trap '' INT TERM", "while true; do sleep 5; done"]);

test.concurrent("max-cost that can pay no rental: nothing is rented, and the log says what an offer would cost", async () => {
  const offers = [11, 12].map((id) => ({ id, ...PLAIN }));
  await using session = await startSession({ with: { ...SHORT, "max-cost": "0.04" }, scenario: { offers } });

  const main = await session.step.mainFails();
  expect(main.log).toContain("no, the shortest rental costs 0.0533 USD, and max-cost has 0.0400 USD left");
  expect(shownError(main.log)).toMatchObject({
    name: "NoOfferError",
    message: expect.stringContaining("Only max-cost keeps 2 offers away"),
    hint: expect.stringContaining("Raise max-cost"),
  });
  expect(session.instances()).toEqual([]);

  await session.endClean();
});

test.concurrent("max-cost cuts the machine's time: deadline, uptime, label, and the message when the job is cut by it", async () => {
  await using session = await startSession({
    with: { ...SHORT, "max-cost": "0.06" },
    scenario: { offers: [{ id: 11, ...PLAIN }] },
    jobs: [RENT_JOB, STUBBORN_JOB],
  });
  const main = await session.step.mainFails();
  expect(main.log).toContain("Its time is cut: 0.0600 USD of max-cost (0.0600 USD) are left.");
  expect(main.log).toMatch(/gives itself back at \S+ at the latest, because of max-cost\./);
  expect(shownError(main.log)).toMatchObject({
    name: "HoldError",
    message: expect.stringContaining("max-cost is used up"),
    hint: expect.stringContaining("Raise max-cost"),
  });
  // 9 minutes can be paid, and the last of them is for its end.
  const [instance] = session.instances();
  expect(instance?.order.env.GHR_MAX_UPTIME).toBe("480");
  const deadline = Number(instance?.order.env.GHR_DEADLINE);
  expect(Math.abs(deadline - Number(instance?.createdAt) / 1000 - 480)).toBeLessThan(30);
  expect(Number(instance?.label?.split(".").at(-1)) - deadline).toBe(900);

  await session.endClean();
  expect(session.sim.service.books.total()).toBeLessThanOrEqual(0.06);
});

test.concurrent("a machine that failed counts: what is left pays no other one, and none is rented", async () => {
  const offers = [
    { id: 11, ...PLAIN, simulate: { machine: { onstart: "skip" as const } } },
    { id: 12, ...PLAIN },
  ];
  await using session = await startSession({ with: { ...SHORT, "max-cost": "0.056" }, scenario: { offers } });

  const main = await session.step.mainFails();
  expect(shownError(main.log)).toMatchObject({
    name: "BudgetError",
    message: expect.stringMatching(
      /^About 0\.\d+ USD of max-cost \(0\.0560 USD\) is used up.* Nothing is rented any more\.$/,
    ),
    hint: expect.stringContaining("Raise max-cost"),
  });
  expect(session.instances()).toHaveLength(1);

  await session.endClean();
  expect(session.sim.service.books.total()).toBeLessThanOrEqual(0.056);
});

test.concurrent("less credit than min-credit: nothing is rented", async () => {
  await using session = await startSession({
    ...UNHURRIED,
    with: { "min-credit": "5" },
    scenario: { user: { credit: 3 } },
  });

  const main = await session.step.mainFails();
  expect(shownError(main.log)).toMatchObject({
    name: "LowCreditError",
    message:
      "The service's account has 3.00 USD of credit, less than min-credit (5.00 USD). Nothing was rented. 'test' did not run, and will be cancelled with the run once no other job is open.",
    hint: expect.stringContaining("Add credit"),
  });
  expect(session.instances()).toEqual([]);

  await session.endClean();
});
