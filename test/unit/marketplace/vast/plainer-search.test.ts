import { expect, test } from "vitest";
import type { OfferPage } from "../../../../src/marketplace/marketplace.ts";
import type { WireQuery } from "../../../../src/marketplace/vast/requests.ts";
import type { ServiceClient } from "../../../../src/marketplace/vast/service-client.ts";
import { VastMarketplace } from "../../../../src/marketplace/vast/vast-marketplace.ts";
import { offerQuery } from "../../../../src/offers/search.ts";
import { aRow, someRequirements } from "../../support/an-offer.ts";
import { badRequest, FAULTS } from "../../support/service-faults.ts";

// A service that knows only the seed's words refuses a search in others with 400.

/** What a search brings, and the orders of the requests that it took; a request may be refused. */
async function searching(requirements: Parameters<typeof someRequirements>[0], ...refusals: Error[]) {
  const orders: WireQuery["order"][] = [];
  const client = {
    searchOffers: async ({ order }: WireQuery) => {
      orders.push(order);
      const refusal = refusals.shift();
      if (refusal) throw refusal;
      return [aRow()];
    },
  };
  // A cast, as that class has private fields.
  const market = new VastMarketplace(client as unknown as ServiceClient);
  const page: OfferPage | Error = await market
    .search(offerQuery(someRequirements(requirements)))
    .catch((error: Error) => error);
  return { orders, page };
}

test("400: asks once more in the seed's words, and says which fields that search lacks", async () => {
  const requirements = { excludeMachines: [7], offerFilter: { disk_bw: { gt: 500 } } };
  const { orders, page } = await searching(requirements, FAULTS.badRequest);
  expect(orders).toEqual([[["dph_total", "asc"]], [["dlperf_per_dphtotal", "desc"]]]);
  expect(page).toMatchObject({ offers: [{ id: 11 }], plainer: { fields: ["dph_total", "machine_id", "disk_bw"] } });
});

test("400 for a field of offer-filter: the service's sentence, and no search without it", async () => {
  const unknown = badRequest("disk_bv is not a valid search key");
  expect(await searching({ offerFilter: { disk_bv: { lte: 500 } } }, unknown)).toMatchObject({
    orders: [{}],
    page: unknown,
  });
});

test.each([FAULTS.forbidden, FAULTS.successFalse, FAULTS.down, FAULTS.unreadable])(
  "$name is not answered by asking otherwise",
  async (error) => {
    const { orders, page } = await searching({}, error);
    expect(orders).toHaveLength(1);
    expect(page).toBe(error);
  },
);
