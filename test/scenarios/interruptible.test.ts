import { expect, test } from "vitest";
import { shownError } from "../support/shown-error.ts";
import { ENDLESS_JOB, RENT_JOB, startSession, until } from "../support/simulated-session.ts";

const BID = { pricing: "bid", "max-price": "0.50" };
/** On demand they cost twice what a bid does. */
const OFFERS = [11, 12, 13].map((id) => ({ id, machine_id: 500 + id, dph_base: 0.4, min_bid: 0.2 }));

test.concurrent("bids a tenth above the lowest, and the job runs for that", async () => {
  await using session = await startSession({ with: BID, scenario: { offers: OFFERS } });

  const main = await session.step.mainSucceeds();
  expect(session.instances()[0]?.order).toMatchObject({ price: 0.22 });
  expect(session.sim.service.journal.of("createInstance")[0]?.request).toMatchObject({
    price: 0.22,
    cancel_unavail: true,
  });
  expect(main.log).toContain("interruptible, at a bid of 0.22 USD for the GPUs");
  expect(session.run.job("test").conclusion).toBe("success");

  await session.endClean();
});

test.concurrent("outbid while it boots: told by that word, destroyed, and with bid-fallback the next one is on demand", async () => {
  const [first, ...others] = OFFERS.map((offer) => ({ ...offer }));
  const boot = [{ after: 0, actual_status: "loading" }];
  const offers = [{ ...first, id: 11, min_bid: 0.1, simulate: { statuses: boot, outbidAfter: 20 } }, ...others];
  await using session = await startSession({ with: { ...BID, "bid-fallback": "true" }, scenario: { offers } });

  const main = await session.step.mainSucceeds();
  expect(main.log).toContain("outbid: the service stopped it");
  expect(main.log).toContain("From now on machines are rented on demand (bid-fallback).");
  expect(session.instances().map(({ order }) => order.price)).toEqual([0.11, null]);
  expect(session.run.job("test").conclusion).toBe("success");

  await session.endClean();
});

test.concurrent("outbid under the running job: fails with that word, and leaves no stopped machine behind", async () => {
  await using session = await startSession({ with: BID, jobs: [RENT_JOB, ENDLESS_JOB], scenario: { offers: OFFERS } });
  const stage = session.step.startMain();
  await until(() => session.run.job("test").status === "in_progress", "the job to run");
  session.sim.service.update(Number(session.instances()[0]?.id), "outbid");

  const main = await stage.done;
  expect(main.exitCode, main.log).toBe(1);
  expect(shownError(main.log).message).toMatch(/^Instance \d+ was outbid under 'test' /);

  await session.step.startPost().done;
  expect(session.stillBilling()).toBe("still billing: 0 instances");
});

test.concurrent("a service of the specification's letter shows neither lowest bid nor what stopped it: both are known all the same", async () => {
  const boot = [{ after: 0, actual_status: "loading" }];
  const offers = OFFERS.map((offer, index) =>
    index > 0 ? offer : { ...offer, min_bid: 0.1, simulate: { statuses: boot, outbidAfter: 20 } },
  );
  await using session = await startSession({ dialect: "seed", with: BID, scenario: { offers } });

  const main = await session.step.mainSucceeds();
  expect(main.log).toContain("outbid: the service stopped it");
  const [first, second] = session.instances().map(({ order }) => Number(order.price));
  expect(first).toBeCloseTo(0.11, 2);
  expect(second).toBeCloseTo(0.22, 2);

  await session.endClean();
});

test.concurrent("an error that carries a stopped instance: it is destroyed, and the next offer is bid for", async () => {
  const fault = { operation: "createInstance", kind: "error-with-contract", offer: 11 } as const;
  await using session = await startSession({ with: BID, scenario: { offers: OFFERS, faults: [fault] } });

  const main = await session.step.mainSucceeds();
  expect(session.instances().map(({ offer }) => offer.id)).toEqual([11, 12]);
  expect(main.log).toContain("and still made instance 7001001");

  await session.endClean();
});
