import { describe, expect, test } from "vitest";
import { imageMark, NO_HISTORY } from "../../../src/history/hosts.ts";
import { describePrice, formatBeside } from "../../../src/money/price.ts";
import { describeRequirements, judgeOffer } from "../../../src/offers/rules.ts";
import { offerQuery, priceOf, widerQuery } from "../../../src/offers/search.ts";
import { aBareOffer, anOffer, judged, someRequirements, whyNot } from "../support/an-offer.ts";

type Shown = Parameters<typeof anOffer>[0];
type Given = Parameters<typeof someRequirements>[0];

describe("a bid", () => {
  const bidding = (price?: number, given: Given = {}) => someRequirements({ bid: { price }, ...given });
  /** 30 GB of it cost 0.03 USD per hour. */
  const offer = anOffer({ dph_total: 0.2, dph_base: 0.2, min_bid: 0.2, storage_cost: 0.72 }, 30);

  test.each<[Shown, Given, string[]]>([
    [{}, { bid: { price: 0.2 } }, ["the lowest bid is 0.30 USD"]],
    [{}, { bid: { price: 0.3 } }, []],
    [{}, { bid: { price: undefined } }, []],
    // It is what is paid; the price on demand is of no weight.
    [{}, { bid: { price: 0.7 }, maxPrice: 0.6 }, ["0.70 USD per hour with storage"]],
    [{ dph_total: 0.59 }, { bid: { price: 0.31 }, maxPrice: 0.4 }, []],
  ])("of an offer %j to %j: %j", (shown, given, whys) => {
    expect(whyNot(anOffer({ min_bid: 0.3, dph_total: 0.3, ...shown }), someRequirements(given))).toEqual(whys);
  });

  test("is never more than max-price leaves, to the last digit", () => {
    for (const maxPrice of [0.2345678, 0.2401, 0.241])
      expect(priceOf(offer, bidding(undefined, { maxPrice })).total).toBeLessThanOrEqual(maxPrice + 1e-12);
  });

  test("is at least the offer's price where it shows no min_bid", () => {
    expect(aBareOffer().lowestBid).toBeCloseTo(0.4, 9);
  });

  test("is described as a bid", () => {
    const price = "0.25 USD per hour (interruptible, at a bid of 0.22 USD for the GPUs)";
    expect(describePrice(priceOf(offer, bidding()))).toBe(price);
    expect(describeRequirements(bidding(0.4))).toContain("interruptible at a bid of 0.40 USD per hour");
    expect(describeRequirements(bidding())).toContain("interruptible, ");
  });
});

describe("a volume", () => {
  const requirements = someRequirements({ machine: 501 });

  test("binds the search to its machine, and leaves the wider search wide", () => {
    expect(offerQuery(requirements).filters.machine_id).toEqual({ eq: 501 });
    expect(widerQuery(requirements).filters.machine_id).toBeUndefined();
    expect(describeRequirements(requirements)).toContain("on host 501, where the volume is");
  });

  test.each<[number, Given, [why: string, input: string][]]>([
    [501, {}, []],
    [502, {}, [["the volume is on host 501", "volume-id"]]],
    [502, { offerFilter: { machine_id: { eq: 502 } } }, [["the volume is on host 501", "volume-id"]]],
    [501, { excludeMachines: [501] }, [["its machine is excluded", "exclude-machines"]]],
  ])("on host 501 keeps away what is on %d with %j: %j", (machine_id, given, whys) => {
    const objections = judgeOffer(anOffer({ machine_id }), { ...requirements, ...given });
    expect(objections.map(({ why, rule }) => [why, rule?.remedy?.input])).toEqual(whys);
  });
});

describe("traffic, prices and what max-cost leaves", () => {
  const HOUR = 3_600_000;
  const image = { name: "octo/image:1", bytes: 3.8e9, isDevel: false };
  const knowledge = { image, jobMs: 500_000, history: NO_HISTORY, isKept: false, now: 0 };
  const unsized = { ...knowledge, image: { ...image, bytes: undefined } };
  const history = new Map([[40_211, { boots: [{ at: 0, image: imageMark(image), actualMs: 1 }] }]]);
  const budget = (left: number, imageBytes?: number, leastMs = 600_000) => ({ maxCost: 1, left, leastMs, imageBytes });
  const DEARER = "traffic of 0.604 USD for image and runner, more than the machine may cost (0.60 USD)";
  const CREDIT = "traffic of 0.40 USD for image and runner, more than the account's credit (0.30 USD)";
  const LEAST = "the shortest rental costs 0.1100 USD, and max-cost has 0.11 USD left";
  const LIMIT = { maxTrafficPrice: 0.05 };

  test.each<[string, Shown, Given, string[]]>([
    ["a price just above its limit", { dph_total: 0.604 }, {}, ["0.604 USD per hour with storage"]],
    ["a cost just above it", { dph_total: 0.6, inet_down_cost: 0 }, { budget: budget(0.1099) }, [LEAST]],
    ["at the limit", { inet_down_cost: 0.05, inet_up_cost: 0.05 }, LIMIT, []],
    ["dear to load", { inet_down_cost: 25 }, LIMIT, ["25.00 USD per GB down"]],
    ["dear to send", { inet_up_cost: 1e308 }, LIMIT, [expect.stringMatching(/ USD per GB up$/)]],
    ["without a price", {}, { maxTrafficPrice: 0 }, []],
    ["as dear as the machine for an hour", { inet_down_cost: 0.15 }, { knowledge }, []],
    ["dearer than the machine for an hour", { inet_down_cost: 0.151 }, { knowledge }, [DEARER]],
    ["a job of four hours", { inet_down_cost: 0.5 }, { knowledge: { ...knowledge, jobMs: 4 * HOUR } }, []],
    ["an unsized image", { inet_down_cost: 0.12 }, { knowledge: unsized }, [expect.stringContaining("0.62 USD")]],
    ["dearer than the account's credit", { inet_down_cost: 0.1 }, { knowledge, credit: 0.3 }, [CREDIT]],
    [
      "dearer than max-cost leaves",
      { inet_down_cost: 0.1 },
      { knowledge, budget: budget(0.3, image.bytes, 60_000) },
      [expect.stringMatching(/^the shortest rental costs .* max-cost has 0\.30 USD left$/)],
    ],
    ["a host that has the image loads no more", { inet_down_cost: 2 }, { knowledge: { ...knowledge, history } }, []],
  ])("%s", (_what, shown, given, whys) => {
    expect(whyNot(anOffer(shown), someRequirements(given))).toEqual(whys);
  });

  test("a price that is compared with an equal one is written as always", () => {
    expect(formatBeside(5, 5)).toBe("5.00 USD");
    expect(formatBeside(0.3000000001, 0.3)).toBe("0.3000000001 USD");
  });

  test("no filter of the user's makes it dearer", () => {
    const offerFilter = { inet_down_cost: { lte: 9 }, traffic: { lte: 9 } };
    const dear = someRequirements({ ...LIMIT, offerFilter });
    const [objection] = judged(anOffer({ inet_down_cost: 8 }), dear);
    expect(objection).toMatchObject({ why: "8.00 USD per GB down", rule: { remedy: { input: "max-traffic-price" } } });
    expect(offerQuery(dear).filters.inet_down_cost).toEqual({ lte: 0.05 });
  });
});
