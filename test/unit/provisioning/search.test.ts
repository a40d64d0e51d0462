import { beforeEach, describe, expect, test } from "vitest";
import { NoOfferError } from "../../../src/provisioning/provisioning-errors.ts";
import { describeOffer, type Excluded, searchForOffers } from "../../../src/provisioning/search.ts";
import { anOffer, someWishes } from "../support/an-offer.ts";
import { FakeService } from "../support/fake-service.ts";
import { HandWoundClock } from "../support/hand-wound-clock.ts";
import { RecordedLog } from "../support/recorded-log.ts";
import { FAULTS } from "../support/service-faults.ts";

let service: FakeService;
let log: RecordedLog;

beforeEach(() => {
  service = new FakeService(new HandWoundClock());
  log = new RecordedLog();
});

async function searching(excluded: Partial<Excluded> = {}): Promise<number[]> {
  const { signal } = new AbortController();
  const none = { machines: new Set<number>(), offers: new Set<number>() };
  const tools = { service: service.client, log, signal };
  const candidates = await searchForOffers(tools, someWishes(), { ...none, ...excluded });
  return candidates.map(({ offer }) => offer.id);
}

test("cheapest first with storage, the more reliable one first among equals", async () => {
  service.offers = [
    anOffer({ id: 1, dph_total: 0.5 }),
    anOffer({ id: 2, dph_total: 0.4, reliability: 0.97 }),
    anOffer({ id: 3, dph_total: 0.4, reliability: 0.99 }),
    // 0.39 for the GPU, and 0.02 for 32 GB.
    anOffer({ id: 4, dph_base: 0.39, dph_total: 0.39, storage_cost: 0.45 }),
  ];
  expect(await searching()).toEqual([3, 2, 4, 1]);
});

test("checks every filter again: the service does not always apply them", async () => {
  service.offers = [anOffer({ id: 1, gpu_name: "RTX 3090" }), anOffer({ id: 2 }), anOffer({ id: 3, dph_total: 0.61 })];
  expect(await searching()).toEqual([2]);
  expect(log.lines.join("\n")).toMatch(/offer 1 .*: no, another GPU/);
  expect(log.lines.join("\n")).toMatch(/offer 3 .*: no, 0\.61 USD per hour/);
});

describe("what failed before is not taken again", () => {
  beforeEach(() => {
    service.offers = [
      anOffer({ id: 1, machine_id: 100 }),
      anOffer({ id: 2, machine_id: 100 }),
      anOffer({ id: 3, machine_id: 200 }),
      anOffer({ id: 4, machine_id: undefined }),
    ];
  });

  test("a machine with all its offers", async () => {
    expect(await searching({ machines: new Set([100]) })).toEqual([3, 4]);
  });

  test("an offer, where the service does not tell the machine", async () => {
    expect(await searching({ offers: new Set([4]) })).toEqual([1, 2, 3]);
  });

  test("one unknown machine is not every other unknown machine", async () => {
    service.offers.push(anOffer({ id: 5, machine_id: undefined }));
    expect(await searching({ machines: new Set([100, 200]), offers: new Set([4]) })).toEqual([5]);
  });
});

describe("a service that knows only the seed's words", () => {
  test("400: asks once more in them", async () => {
    service.next("searchOffers", FAULTS.badRequest);
    service.offers = [anOffer({ id: 1 })];
    expect(await searching()).toEqual([1]);
    expect(service.searches.map(({ order }) => order)).toEqual([
      [["dph_total", "asc"]],
      [["dlperf_per_dphtotal", "desc"]],
    ]);
  });

  test("400 again: the service's own sentence", async () => {
    service.always("searchOffers", FAULTS.badRequest);
    await expect(searching()).rejects.toBe(FAULTS.badRequest);
    expect(service.searches).toHaveLength(2);
  });

  test.each([FAULTS.forbidden, FAULTS.successFalse, FAULTS.down, FAULTS.unreadable])(
    "$name is not answered by asking otherwise",
    async (error) => {
      service.next("searchOffers", error);
      await expect(searching()).rejects.toBe(error);
      expect(service.searches).toHaveLength(1);
    },
  );
});

describe("nothing matches", () => {
  test("says what was asked for, and what came near", async () => {
    service.offers = [anOffer({ dph_total: 0.75 }), anOffer({ rentable: false })];
    const error = await searching().catch((fault: unknown) => fault);
    expect(error).toBeInstanceOf(NoOfferError);
    expect(error).toMatchObject({
      message: expect.stringMatching(/RTX 4090, at most 0\.60 USD.*Nothing was rented\./),
      hint: expect.stringMatching(/0\.75 USD per hour with storage; not rentable/),
    });
  });

  test("the market is empty: asks whether the name is spelled right", async () => {
    await expect(searching()).rejects.toMatchObject({ hint: expect.stringContaining("gpu-name is spelled") });
  });
});

test("a long market does not flood the log", async () => {
  service.offers = Array.from({ length: 64 }, (_none, id) => anOffer({ id, rentable: id % 2 === 0 }));
  await searching();
  expect(log.lines.length).toBeLessThan(30);
  expect(log.lines).toContain("  … and 40 more");
  expect(log.lines).toContain("32 of 64 offers can be rented.");
});

test("an offer's foreign text stays in one line", () => {
  const offer = { id: 11, machine_id: undefined, gpu_name: "RTX\n4090", num_gpus: 2 };
  expect(describeOffer(offer)).toBe("offer 11 (2 × RTX 4090, machine unknown)");
});
