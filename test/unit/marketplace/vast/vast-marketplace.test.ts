import { expect, test } from "vitest";
import type { OfferPage } from "../../../../src/marketplace/marketplace.ts";
import type { Connection, Outgoing } from "../../../../src/marketplace/vast/connection.ts";
import type { WireQuery } from "../../../../src/marketplace/vast/requests.ts";
import { ServiceClient } from "../../../../src/marketplace/vast/service-client.ts";
import { VastMarketplace } from "../../../../src/marketplace/vast/vast-marketplace.ts";
import { offerQuery } from "../../../../src/offers/search.ts";
import { aRow, someRequirements } from "../../support/an-offer.ts";
import { HandWoundClock } from "../../support/hand-wound-clock.ts";
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

const HOUR_MS = 3_600_000;
const LIST = { success: true, instances: [], total_instances: 0, next_token: null };
const ACCOUNT = { id: 1, credit: 5 };

/** A marketplace whose service answers each request with the next of these dates. */
function dated(dates: (string | undefined)[]) {
  const clock = new HandWoundClock();
  const exchange = async ({ operation }: Outgoing) => {
    const json = operation === "list instances" ? LIST : ACCOUNT;
    return { status: 200, text: JSON.stringify(json), json, retryAfter: undefined, date: dates.shift() };
  };
  const connection = { isLocal: true, until: Number.POSITIVE_INFINITY, exchange, close: async () => {} };
  const options = { baseUrl: "http://127.0.0.1:1", apiKey: "key", clock };
  return new VastMarketplace(new ServiceClient(options, connection as unknown as Connection));
}

const inHours = (hours: number) => new Date(new HandWoundClock().start + hours * HOUR_MS).toUTCString();

test.each([
  ["as the last list had it", [inHours(-3), inHours(1)], HOUR_MS],
  ["no date", ["half past six"], undefined],
  ["longer than a label has room for", ["Fri, 31 Dec 9999 23:59:59 GMT"], undefined],
])("the service's clock is %s", async (_what, dates, aheadMs) => {
  const service = dated([...dates]);
  for (const _list of dates) await service.list();
  expect(service.aheadMs).toBe(aheadMs);
});

test("other answers than lists say nothing of the service's clock", async () => {
  const service = dated([inHours(-3)]);
  await service.account();
  expect(service.aheadMs).toBeUndefined();
});
