import { describe, expect, test } from "vitest";
import type { Fault } from "../../simulator/scenario/fault.ts";
import { wireQuery } from "../../src/marketplace/vast/translate.ts";
import { VastMarketplace } from "../../src/marketplace/vast/vast-marketplace.ts";
import { searchForOffers } from "../../src/offers/search.ts";
import { underTest } from "../simulator/support/service.ts";
import { RecordedLog } from "../unit/support/recorded-log.ts";
import {
  DIALECTS,
  QUERY,
  REQUIREMENTS,
  type ServiceUnderContract,
  startContract,
} from "./support/service-under-contract.ts";

/** What a bare search finds, in its order; of its own accord it is ordered by the score. */
async function rows({ call }: Pick<ServiceUnderContract, "call">, query: object): Promise<Record<string, unknown>[]> {
  return Object((await call("POST", "/api/v0/bundles/", query)).body).offers;
}

const ids = async (service: Pick<ServiceUnderContract, "call">, query: object) =>
  (await rows(service, query)).map(({ id }) => id);

/** The ids that the action finds. */
async function found(service: ServiceUnderContract): Promise<number[]> {
  const { signal } = new AbortController();
  const tools = { service: new VastMarketplace(service.client), log: new RecordedLog(), signal };
  return (await searchForOffers(tools, REQUIREMENTS, { hosts: [], offers: [] })).map(({ offer }) => offer.id);
}

describe.each(DIALECTS)("dialect %s", (dialect) => {
  const start = (...faults: Fault[]) => startContract(dialect, { scenario: { faults } });
  const LETTER = { type: "on-demand", order: [["dph_total", "desc"]], limit: 64 } as const;

  test("operators that the service rejects are replaced by the seed's own words, once", async () => {
    await using service = await start();
    expect(await found(service)).toEqual([11, 12, 13, 14]);
    const statuses = service.sim.journal.of("searchOffers").map(({ status }) => status);
    expect(statuses).toEqual(dialect === "seed" ? [400, 200] : [200]);
  });

  test("NaN in a body: the offer without a price is left out, the others are read", async () => {
    const row = '"num_gpus": 1, "gpu_name": "RTX 4090"';
    const text = `{"offers": [{"id": 1, ${row}, "dph_total": NaN}, {"id": 2, ${row}, "dph_total": 1, "score": Infinity}]}`;
    await using service = await start({ operation: "searchOffers", kind: "text", text });
    expect((await service.client.searchOffers(wireQuery(QUERY))).map(({ id }) => id)).toEqual([2]);
  });

  test.each([
    ["eq", { gpu_name: { eq: "RTX 3090" } }, [18]],
    ["gte", { gpu_ram: { gte: 80_000 } }, [19]],
    ["in", { gpu_name: { in: ["RTX 3090", "H100 SXM"] } }, [19, 18]],
  ])("a search by the operator %s", async (_operator, filters, expected) => {
    await using service = await start();
    const offers = await service.client.searchOffers({ ...LETTER, filters } as never);
    expect(offers.map(({ id }) => id)).toEqual(expected);
  });

  test("a search keeps to its limit and its order", async () => {
    await using service = await start();
    const search = async (limit: number) =>
      (await service.client.searchOffers({ ...LETTER, filters: {}, limit } as never)).map(({ dph_total }) => dph_total);
    const prices = await search(64);
    expect(prices).toEqual(prices.toSorted((left, right) => right - left));
    expect(await search(2)).toEqual(prices.slice(0, 2));
  });
});

describe("as observed", () => {
  const order = [["id", "asc"]];

  test.each([
    [{ gpu_name: { neq: "RTX 4090" } }, [18, 19]],
    [{ gpu_name: { notin: ["RTX 4090", "H100 SXM"] } }, [18]],
    [{ dph_base: { gt: 0.42 }, reliability: { gte: 0.9 } }, [15, 19, 20]],
    [{ dph_base: { lte: 0.31 }, reliability: { gte: 0.9 } }, [11, 18]],
    // Numbers and booleans as texts, as the official client sends them.
    [{ num_gpus: { eq: "2" }, rentable: { eq: "true" }, limit: "5" }, [20]],
    // Filters that are no column of the answer.
    [{ verified: { eq: false } }, [16]],
    [{ datacenter: { eq: true } }, [14, 15, 19]],
    [{ geolocation: { in: ["CA", "US"] } }, [12, 14]],
  ])("a search for %j", async (query, expected) => {
    await using service = await underTest();
    expect(await ids(service, { order, ...query })).toEqual(expected);
  });

  test("a rented offer is not shown unless rented ones are asked for", async () => {
    await using service = await underTest({ scenario: { offers: [{ id: 1 }] } });
    await service.create(1);
    expect(await ids(service, {})).toEqual([]);
    const all = { rented: { eq: true }, rentable: { in: [true, false] } };
    expect(await rows(service, all)).toMatchObject([{ id: 1, rented: true, rentable: false }]);
  });
});

test("the letter knows eq, gte, in and desc, filters by what it does not show, and applies no defaults", async () => {
  await using service = await underTest({ dialect: "seed" });
  const query = { gpu_name: { in: ["RTX 4090"] }, reliability: { gte: 0.95 }, order: [["dph_total", "desc"]] };
  expect(await ids(service, { ...query, type: "on-demand" })).toEqual([15, 20, 14, 13, 12, 11, 16]);
  expect(await ids(service, { verified: { eq: false } })).toEqual([16]);
  const [yes, no] = [{ eq: true }, { eq: false }];
  const hidden = { rentable: yes, rented: no, external: no, cpu_arch: { eq: "amd64" }, disk_space: { gte: 32 } };
  const one = { ...hidden, duration: { gte: 7200 }, gpu_name: { eq: "RTX 3090" } };
  expect(await ids(service, one)).toEqual([18]);
  await service.create(18);
  expect(await ids(service, one)).toEqual([]);
  expect(await rows(service, { gpu_name: { eq: "RTX 3090" } })).toMatchObject([{ id: 18, rentable: false }]);
});
