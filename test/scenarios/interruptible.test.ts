import { expect } from "vitest";
import { test } from "../support/scenario.ts";

const BID = { pricing: "bid", "max-price": "0.50" };
/** On demand they cost twice what a bid does. */
const OFFERS = [11, 12, 13].map((id) => ({ id, machine_id: 500 + id, dph_base: 0.4, min_bid: 0.2 }));
/** The first is outbid while it boots. */
const OUTBID_EARLY = OFFERS.map((offer, index) => ({
  ...offer,
  ...(index === 0 && {
    min_bid: 0.1,
    simulate: { statuses: [{ after: 0, actual_status: "loading" }], outbidAfter: 20 },
  }),
}));

test("bids a tenth above the lowest; outbid while it boots: told by that word, and with bid-fallback the next one is on demand", async ({
  start,
}) => {
  const session = await start({ with: { ...BID, "bid-fallback": "true" }, scenario: { offers: OUTBID_EARLY } });

  const main = await session.step.mainSucceeds();
  expect(main.log).toContain("interruptible, at a bid of 0.11 USD for the GPUs");
  expect(session.sim.service.journal.of("createInstance")[0]?.request).toMatchObject({
    price: 0.11,
    cancel_unavail: true,
  });
  expect(main.log).toContain("outbid: the service stopped it");
  expect(main.log).toContain("From now on machines are rented on demand (bid-fallback).");
  expect(session.instances().map(({ order }) => order.price)).toEqual([0.11, null]);
  expect(session.run.job("test").conclusion).toBe("success");
});
