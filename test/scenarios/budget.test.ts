import { expect } from "vitest";
import { test } from "../support/scenario.ts";
import { gpuJob, RENT_JOB } from "../support/simulated-session.ts";

/** 0.40 USD per hour without storage: 0.0067 a minute. The shortest rental takes 8 minutes. */
const PLAIN = { dph_base: 0.4, storage_cost: 0, inet_down_cost: 0, inet_up_cost: 0 };
const SHORT = { "boot-timeout": "1m", "online-timeout": "1m" };
/** It can't be interrupted: only the end of its machine ends it. */
const STUBBORN_JOB = gpuJob(["trap '' INT TERM", "sleep infinity"]);

test("max-cost cuts a machine's time: deadline, uptime, label, and what is said of a job that it cuts", async ({
  start,
}) => {
  const session = await start({
    with: { ...SHORT, "max-cost": "0.06" },
    scenario: { offers: [{ id: 11, ...PLAIN }] },
    jobs: [RENT_JOB, STUBBORN_JOB],
  });

  const { log, ...error } = await session.errorOfMain();
  expect(log).toContain("Its time is cut: 0.0600 USD of max-cost (0.0600 USD) are left.");
  expect(log).toMatch(/gives itself back at \S+ at the latest, because of max-cost\./);
  expect(error).toMatchObject({
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

test("a machine that failed counts: what is left pays no other one, and none is rented", async ({ start }) => {
  const offers = [
    { id: 11, ...PLAIN, simulate: { machine: { onstart: "skip" as const } } },
    { id: 12, ...PLAIN },
  ];
  const session = await start({ with: { ...SHORT, "max-cost": "0.056" }, scenario: { offers } });

  expect(await session.errorOfMain()).toMatchObject({
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
