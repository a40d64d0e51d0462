import { describe, expect, test } from "vitest";
import { AccountClient } from "../../client/account.ts";
import { AuthenticationError } from "../../src/marketplace/errors.ts";
import { seedQuery, wireQuery } from "../../src/marketplace/vast/translate.ts";
import { VastMarketplace } from "../../src/marketplace/vast/vast-marketplace.ts";
import { searchForOffers } from "../../src/offers/search.ts";
import { systemClock } from "../../src/shared/clock.ts";
import { RecordedLog } from "../unit/support/recorded-log.ts";
import { DIALECTS, QUERY, REQUIREMENTS, startContract } from "./support/service-under-contract.ts";

// Reads from the real service, too, where SERVICE_URL and SERVICE_API_KEY are set. Nothing is rented there.
const { SERVICE_URL: baseUrl = "", SERVICE_API_KEY: apiKey = "" } = process.env;

/** A service that can be read, and clients of it. */
interface Readable extends AsyncDisposable {
  readonly client: AccountClient;
  connect(options: { apiKey: string }): AccountClient;
}

async function openReal(): Promise<Readable> {
  const open = new AsyncDisposableStack();
  const connect = (key: { apiKey: string }) => open.use(new AccountClient({ baseUrl, clock: systemClock, ...key }));
  return { client: connect({ apiKey }), connect, [Symbol.asyncDispose]: () => open.disposeAsync() };
}

const SUBJECTS: [name: string, open: () => Promise<Readable>][] = DIALECTS.map((dialect) => [
  `dialect ${dialect}`,
  () => startContract(dialect),
]);
if (baseUrl !== "" && apiKey !== "") SUBJECTS.push(["the real service", openReal]);

const SEARCH = seedQuery(wireQuery(QUERY));

describe.each(SUBJECTS)("what can be read of %s", (_name, open) => {
  test("search offers, in the seed's words: each has what the specification promises", async () => {
    await using service = await open();
    const offers = await service.client.searchOffers(SEARCH);
    expect(offers.length).toBeGreaterThan(0);
    const [id, dph_total] = [expect.any(Number), expect.any(Number)];
    for (const offer of offers) expect(offer).toMatchObject({ id, num_gpus: 1, gpu_name: "RTX 4090", dph_total });
  });

  test("search for offers as the action does: cheapest first, all within the requirements", async () => {
    await using service = await open();
    const { signal } = new AbortController();
    const tools = { service: new VastMarketplace(service.client), log: new RecordedLog(), signal };
    const offers = await searchForOffers(tools, REQUIREMENTS, { hosts: [], offers: [] });
    const prices = offers.map(({ price }) => price.total);
    expect(prices).toEqual(prices.toSorted((left, right) => left - right));
    expect(Math.max(...prices)).toBeLessThanOrEqual(REQUIREMENTS.maxPrice);
  });

  test("each instance of the list can be got by its id; where there is none, undefined", async () => {
    await using service = await open();
    expect(await service.client.getInstance(1)).toBeUndefined();
    for (const { id } of (await service.client.listInstances()).slice(0, 3)) {
      const got = await service.client.getInstance(id);
      // Another use of the account may have destroyed it meanwhile.
      if (got !== undefined) expect(got.id).toBe(id);
    }
  });

  test("a key that is wrong", async () => {
    await using service = await open();
    const stranger = service.connect({ apiKey: "0123456789abcdef0123456789abcdef" });
    const asked = [() => stranger.listInstances(), () => stranger.getInstance(1), () => stranger.searchOffers(SEARCH)];
    for (const ask of asked) await expect(ask()).rejects.toBeInstanceOf(AuthenticationError);
  });

  test("templates: each has a hash and a name, and is found by its hash", async () => {
    await using service = await open();
    const { templates } = service.client;
    const all = await templates.search({ recommended: { eq: true } });
    for (const each of all) expect(each).toMatchObject({ hash_id: expect.any(String), name: expect.any(String) });
    for (const { hash_id } of all.slice(0, 1))
      expect(await templates.search({ hash_id: { eq: hash_id } })).toMatchObject([{ hash_id }]);
  });
});
