import { expect, test } from "vitest";
import type { StageResult } from "../../simulator/actions/stage.ts";
import type { Receipt } from "../../src/report/receipt.ts";
import { gpuJob, RENT_JOB, type SimulatedSession, startSession, until } from "../support/simulated-session.ts";

/** A slow boot, with an image and a job that load much: an hour is some 0.55 USD. */
const BUSY = {
  dph_base: 0.4,
  storage_cost: 1,
  inet_down_cost: 0.01,
  inet_up_cost: 0.02,
  simulate: {
    statuses: [
      { after: 0, actual_status: null },
      { after: 4, actual_status: "loading" },
      { after: 47, actual_status: "running" },
    ],
    traffic: { imageGb: 3, downGbPerHour: 6, upGbPerHour: 2 },
  },
};
const EIGHT_MINUTES = gpuJob(["sleep 480"]);

/** It can't be interrupted: only the end of its machine ends it. */
const STUBBORN_JOB = gpuJob(["trap '' INT TERM", "while true; do sleep 5; done"]);

/** The receipt that a stage left. */
function receiptOf({ temp }: StageResult): Receipt {
  const [text = "null"] = Object.entries(temp).flatMap(([name, given]) => (name.endsWith(".json") ? [given] : []));
  return JSON.parse(text);
}

/** Every charge that the service lists for this account, in USD. */
async function charged({ sim: { service } }: SimulatedSession): Promise<number> {
  const ever = encodeURIComponent(JSON.stringify({ day: { gte: 0, lte: 4_000_000_000 } }));
  const headers = { authorization: `Bearer ${service.apiKey}` };
  const answer = await fetch(`${service.url}/api/v0/charges/?select_filters=${ever}`, { headers });
  const { results } = (await answer.json()) as { results: { amount: number }[] };
  return results.reduce((sum, { amount }) => sum + amount, 0);
}

/** Holds the action's costs against the service's books and charges: parts and whole, within 5%. */
async function expectAsBilled(session: SimulatedSession, post: StageResult): Promise<void> {
  const bills = session.sim.service.books.bills();
  const billed = (part: "gpu" | "storage" | "bytes" | "total") => bills.reduce((sum, bill) => sum + bill[part], 0);
  const { actual } = receiptOf(post);
  for (const part of ["gpu", "storage", "bytes", "total"] as const) {
    const told = `${part}: told ${actual[part]}, billed ${billed(part)}`;
    expect(Math.abs((actual[part] ?? 0) - billed(part)), told).toBeLessThanOrEqual(billed(part) * 0.05);
  }
  expect(billed("total")).toBeGreaterThan(0.03);
  const charges = await charged(session);
  // Listed with three decimals.
  expect(Math.abs(actual.total - charges), `charged ${charges}`).toBeLessThanOrEqual(charges * 0.05 + 0.001);
  expect(post.log).toContain(`It cost about ${actual.total.toFixed(actual.total < 0.1 ? 4 : 2)} USD`);
}

test.concurrent("a normal session: estimated before, receipted when ready, and billed as the summary says", async () => {
  await using session = await startSession({
    scenario: { offers: [{ id: 11, ...BUSY }] },
    jobs: [RENT_JOB, EIGHT_MINUTES],
  });
  const stage = session.step.startMain();
  const main = await stage.done;
  expect(main.exitCode, main.log).toBe(0);
  expect(main.log).toContain("Price: 0.44 USD per hour (GPU 0.40 USD, storage 0.0444 USD).");
  expect(main.log).toMatch(/It may cost 1\.\d\d USD at most, if it is used until its deadline in 2h 2\dm\b/);
  expect(main.outputs.receipt).toMatch(/ephemeral-gpu-runner-[a-z0-9]{6}\.json$/);
  expect(receiptOf(main)).toMatchObject({
    version: 1,
    state: "ready",
    runnerLabel: "gpu-4711-1",
    // Written once more when the job is over: with what its log told.
    machines: [{ offer: { id: 11 }, estimate: { minutes: 145 }, figures: { source: "machine" } }],
  });

  const post = await session.step.postSucceeds();
  await expectAsBilled(session, post);
  const { state, machines, holder, mayStillBill } = receiptOf(post);
  expect({ state, mayStillBill, length: machines.length }).toEqual({ state: "ended", mayStillBill: [], length: 1 });
  expect(Object.values(machines[0]?.seconds ?? {})).not.toContain(null);
  expect(holder?.minutes).toBeGreaterThanOrEqual(6);
  expect(session.stillBilling()).toBe("still billing: 0 instances");
});

test.concurrent("a machine that never comes online and a good one: both are in it", async () => {
  const silent = { ...BUSY, simulate: { ...BUSY.simulate, machine: { onstart: "skip" as const } } };
  const offers = [
    { id: 11, ...silent, dph_base: 0.3 },
    { id: 12, ...BUSY },
  ];
  const jobs = [RENT_JOB, EIGHT_MINUTES];
  await using session = await startSession({ with: { "online-timeout": "2m" }, scenario: { offers }, jobs });
  await session.step.mainSucceeds();

  const post = await session.step.postSucceeds();
  await expectAsBilled(session, post);
  expect(receiptOf(post).machines.map(({ offer, lastState }) => [offer.id, lastState])).toEqual([
    [11, expect.stringContaining("its runner did not come online within online-timeout (2m)")],
    [12, expect.any(String)],
  ]);
  expect(session.stillBilling()).toBe("still billing: 0 instances");
});

test.concurrent("a cancel while the GPU job runs: billed until post saw that it was gone", async () => {
  await using session = await startSession({
    scenario: { offers: [{ id: 11, ...BUSY }] },
    jobs: [RENT_JOB, STUBBORN_JOB],
  });
  const stage = session.step.startMain();
  await until(() => (session.sim.service.books.bills()[0]?.gpuSeconds ?? 0) > 480, "eight minutes of work");
  session.run.cancel();
  stage.cancel();
  await stage.done;

  const post = await session.step.postSucceeds();
  await expectAsBilled(session, post);
  expect(session.stillBilling()).toBe("still billing: 0 instances");
});
