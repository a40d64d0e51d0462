import { expect } from "vitest";
import type { StageResult } from "../../simulator/actions/stage.ts";
import type { Receipt } from "../../src/report/receipt.ts";
import { test } from "../support/scenario.ts";
import { gpuJob, RENT_JOB, type SimulatedSession, until } from "../support/simulated-session.ts";

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

test("estimated before, receipted when ready, and billed as the summary says, a machine that failed included", async ({
  start,
}) => {
  const silent = { ...BUSY, simulate: { ...BUSY.simulate, machine: { onstart: "skip" as const } } };
  const session = await start({
    with: { "online-timeout": "2m" },
    scenario: {
      offers: [
        { id: 11, ...silent },
        { id: 12, ...BUSY, dph_base: 0.41 },
      ],
    },
    jobs: [RENT_JOB, gpuJob(["sleep 480"])],
  });

  const main = await session.step.mainSucceeds();
  expect(main.log).toContain("Price: 0.44 USD per hour (GPU 0.40 USD, storage 0.0444 USD).");
  expect(main.log).toMatch(/It may cost 1\.\d\d USD at most, if it is used until its deadline in 2h 2\dm\b/);
  expect(main.outputs.receipt).toMatch(/ephemeral-gpu-runner-[a-z0-9]{6}\.json$/);
  // Written once more when the job is over: with what its log told.
  const served = { offer: { id: 12 }, estimate: { minutes: expect.any(Number) }, figures: { source: "machine" } };
  expect(receiptOf(main)).toMatchObject({
    version: 1,
    state: "ready",
    runnerLabel: "gpu-4711-1",
    machines: [{ offer: { id: 11 } }, served],
  });

  const post = await session.endClean();
  await expectAsBilled(session, post);
  const { state, machines, holder, mayStillBill } = receiptOf(post);
  expect({ state, mayStillBill }).toEqual({ state: "ended", mayStillBill: [] });
  expect(machines.map(({ offer, lastState }) => [offer.id, lastState])).toEqual([
    [11, expect.stringContaining("its runner did not come online within online-timeout (2m)")],
    [12, expect.any(String)],
  ]);
  expect(Object.values(machines[1]?.seconds ?? {})).not.toContain(null);
  expect(holder?.minutes).toBeGreaterThanOrEqual(6);
});

test("a cancel under a GPU job that ignores it: billed until post saw the machine gone", async ({ start }) => {
  const session = await start({
    scenario: { offers: [{ id: 11, ...BUSY }] },
    jobs: [RENT_JOB, gpuJob(["trap '' INT TERM", "sleep infinity"])],
  });
  const stage = session.step.startMain();
  await until(() => (session.sim.service.books.bills()[0]?.gpuSeconds ?? 0) > 480, "eight minutes of work");
  session.run.cancel();
  stage.cancel();
  await stage.done;

  await expectAsBilled(session, await session.endClean());
});
