import { expect, test } from "vitest";
import type { OfferPage } from "../../../../src/marketplace/marketplace.ts";
import type { WireQuery } from "../../../../src/marketplace/vast/requests.ts";
import type { ServiceClient } from "../../../../src/marketplace/vast/service-client.ts";
import { VastMarketplace } from "../../../../src/marketplace/vast/vast-marketplace.ts";
import { offerQuery } from "../../../../src/offers/search.ts";
import { aRow, someRequirements } from "../../support/an-offer.ts";
import { badRequest, FAULTS } from "../../support/service-faults.ts";

/** What a search brings, and the orders of the requests that it took; a request may be refused. */
async function searching(requirements: Parameters<typeof someRequirements>[0], ...refusals: Error[]) {
  const orders: WireQuery["order"][] = [];
  const searchOffers = async ({ order }: WireQuery) => {
    orders.push(order);
    const refusal = refusals.shift();
    if (refusal) throw refusal;
    return [aRow()];
  };
  // A cast, as that class has private fields.
  const market = new VastMarketplace({ searchOffers } as unknown as ServiceClient);
  const query = offerQuery(someRequirements(requirements));
  const page: OfferPage | Error = await market.search(query).catch((error: Error) => error);
  return { orders, page };
}

test("400: asks once more in the seed's words, and says which fields that search lacks", async () => {
  const requirements = { excludeMachines: [7], offerFilter: { disk_bw: { gt: 500 } } };
  const { orders, page } = await searching(requirements, FAULTS.badRequest);
  expect(orders).toEqual([[["dph_total", "asc"]], [["dlperf_per_dphtotal", "desc"]]]);
  expect(page).toMatchObject({ offers: [{ id: 11 }], plainer: { fields: ["dph_total", "machine_id", "disk_bw"] } });
});

test.each([
  ["400 for a field of offer-filter", badRequest("disk_bv is not a valid search key")],
  ...Object.entries(FAULTS).filter(([name]) => ["forbidden", "successFalse", "down", "unreadable"].includes(name)),
])("%s is not answered by asking otherwise", async (_what, error) => {
  const { orders, page } = await searching({ offerFilter: { disk_bv: { lte: 500 } } }, error);
  expect(orders).toHaveLength(1);
  expect(page).toBe(error);
});
