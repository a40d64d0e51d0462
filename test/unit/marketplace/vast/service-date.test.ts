import { expect, test } from "vitest";
import type { Connection, Outgoing } from "../../../../src/marketplace/vast/connection.ts";
import { ServiceClient } from "../../../../src/marketplace/vast/service-client.ts";
import { VastMarketplace } from "../../../../src/marketplace/vast/vast-marketplace.ts";
import { HandWoundClock } from "../../support/hand-wound-clock.ts";

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
  ["as ours", [inHours(0)], 0],
  ["three hours ahead of ours", [inHours(3)], 3 * HOUR_MS],
  ["as the last list had it", [inHours(-3), inHours(1)], HOUR_MS],
  ["not shown", [undefined], undefined],
  ["no date", ["half past six"], undefined],
  ["before the epoch", ["Thu, 01 Jan 1801 00:00:00 GMT"], undefined],
  ["longer than a label has room for", ["Fri, 31 Dec 9999 23:59:59 GMT"], undefined],
  ["shown by the list before alone", [inHours(-3), undefined], -3 * HOUR_MS],
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
