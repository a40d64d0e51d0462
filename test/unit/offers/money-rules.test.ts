import { describe, expect, test } from "vitest";
import { imageMark, NO_HISTORY } from "../../../src/history/hosts.ts";
import { formatBeside } from "../../../src/money/price.ts";
import { describeRequirements, judgeOffer } from "../../../src/offers/rules.ts";
import { offerQuery, widerQuery } from "../../../src/offers/search.ts";
import { anOffer, someRequirements, whyNot } from "../support/an-offer.ts";

describe("a bid", () => {
  const shown = { min_bid: 0.3, dph_total: 0.3 };
  const offer = anOffer(shown);

  test("below an offer's lowest keeps it away, and names the input", () => {
    const [objection] = judgeOffer(offer, someRequirements({ bid: { price: 0.2 } }));
    expect(objection).toMatchObject({ why: "the lowest bid is 0.30 USD", rule: { remedy: { input: "bid-price" } } });
    expect(whyNot(offer, someRequirements({ bid: { price: 0.3 } }))).toEqual([]);
    expect(whyNot(offer, someRequirements({ bid: { price: undefined } }))).toEqual([]);
    expect(whyNot(offer, someRequirements())).toEqual([]);
  });

  test("and its storage must fit max-price: it is what is paid", () => {
    const dear = someRequirements({ bid: { price: 0.7 }, maxPrice: 0.6 });
    expect(whyNot(offer, dear)).toEqual(["0.70 USD per hour with storage"]);
    expect(whyNot(offer, { ...dear, maxPrice: 0.7 })).toEqual([]);
    // The offer's price on demand is of no weight.
    expect(
      whyNot(anOffer({ ...shown, dph_total: 0.59 }), someRequirements({ bid: { price: 0.31 }, maxPrice: 0.4 })),
    ).toEqual([]);
  });
});

test("a price or cost just above its limit does not read as if it were within", () => {
  expect(whyNot(anOffer({ dph_total: 0.604 }), someRequirements({ maxPrice: 0.6 }))).toEqual([
    "0.604 USD per hour with storage",
  ]);
  const budget = { maxCost: 1, left: 0.1099, leastMs: 600_000, imageBytes: undefined };
  const offer = anOffer({ dph_total: 0.6, inet_down_cost: 0 });
  expect(whyNot(offer, someRequirements({ budget }))).toEqual([
    "the shortest rental costs 0.1100 USD, and max-cost has 0.11 USD left",
  ]);
});

test("a price that is compared with an equal one is written as always", () => {
  expect(formatBeside(5, 5)).toBe("5.00 USD");
  expect(formatBeside(0.3000000001, 0.3)).toBe("0.3000000001 USD");
});

describe("a volume", () => {
  const requirements = someRequirements({ machine: 501 });

  test("binds the search to its machine, also where the service does not apply the filter", () => {
    expect(offerQuery(requirements).filters.machine_id).toEqual({ eq: 501 });
    expect(whyNot(anOffer({ machine_id: 501 }), requirements)).toEqual([]);
    const [objection] = judgeOffer(anOffer({ machine_id: 502 }), requirements);
    expect(objection).toMatchObject({ why: "the volume is on host 501", rule: { remedy: { input: "volume-id" } } });
    expect(describeRequirements(requirements)).toContain("on host 501, where the volume is");
  });

  test("keeps to its machine whatever offer-filter says, and leaves the wider search wide", () => {
    const offerFilter = { machine_id: { eq: 502 } };
    expect(whyNot(anOffer({ machine_id: 502 }), { ...requirements, offerFilter })).toEqual([
      "the volume is on host 501",
    ]);
    expect(widerQuery(requirements).filters.machine_id).toBeUndefined();
  });

  test("on a machine that is excluded leaves none", () => {
    expect(whyNot(anOffer({ machine_id: 501 }), { ...requirements, excludeMachines: [501] })).toEqual([
      "its machine is excluded",
    ]);
  });
});

describe("traffic", () => {
  const HOUR = 3_600_000;
  const image = { name: "octo/image:1", bytes: 3.8e9, isDevel: false };
  const knowledge = { image, jobMs: 500_000, history: NO_HISTORY, isKept: false, now: 0 };

  test.each<[string, Parameters<typeof anOffer>[0], Parameters<typeof someRequirements>[0], string[]]>([
    ["at the limit", { inet_down_cost: 0.05, inet_up_cost: 0.05 }, { maxTrafficPrice: 0.05 }, []],
    ["dear to load", { inet_down_cost: 25 }, { maxTrafficPrice: 0.05 }, ["25.00 USD per GB down"]],
    ["a little dearer", { inet_down_cost: 0.0504 }, { maxTrafficPrice: 0.05 }, ["0.0504 USD per GB down"]],
    ["dear to send", { inet_up_cost: 1e308 }, { maxTrafficPrice: 0.05 }, [expect.stringMatching(/ USD per GB up$/)]],
    ["without a price", {}, { maxTrafficPrice: 0 }, []],
    ["no limit", { inet_down_cost: 25, inet_up_cost: 25 }, {}, []],
    ["as dear as the machine for an hour", { inet_down_cost: 0.15 }, { knowledge }, []],
    [
      "dearer than the machine for an hour",
      { inet_down_cost: 0.151 },
      { knowledge },
      ["traffic of 0.604 USD for image and runner, more than the machine may cost (0.60 USD)"],
    ],
    ["a job of four hours allows more", { inet_down_cost: 0.5 }, { knowledge: { ...knowledge, jobMs: 4 * HOUR } }, []],
    [
      "an image of unknown size: 5 GB",
      { inet_down_cost: 0.12 },
      { knowledge: { ...knowledge, image: { ...image, bytes: undefined } } },
      [expect.stringContaining("traffic of 0.62 USD")],
    ],
    [
      "dearer than the account's credit",
      { inet_down_cost: 0.1 },
      { knowledge, credit: 0.3 },
      ["traffic of 0.40 USD for image and runner, more than the account's credit (0.30 USD)"],
    ],
    [
      "dearer than max-cost leaves",
      { inet_down_cost: 0.1 },
      { knowledge, budget: { maxCost: 1, left: 0.3, leastMs: 60_000, imageBytes: image.bytes } },
      [expect.stringMatching(/^the shortest rental costs .* max-cost has 0\.30 USD left$/)],
    ],
  ])("%s", (_what, shown, given, whys) => {
    expect(whyNot(anOffer(shown), someRequirements(given))).toEqual(whys);
  });

  test("a host that has the image loads the runner alone", () => {
    const history = new Map([[40_211, { boots: [{ at: 0, image: imageMark(image), actualMs: 1 }] }]]);
    expect(whyNot(anOffer({ inet_down_cost: 2 }), someRequirements({ knowledge: { ...knowledge, history } }))).toEqual(
      [],
    );
  });

  test("no filter of the user's makes it dearer", () => {
    const offerFilter = { inet_down_cost: { lte: 9 }, traffic: { lte: 9 } };
    const dear = someRequirements({ maxTrafficPrice: 0.05, offerFilter });
    expect(whyNot(anOffer({ inet_down_cost: 8 }), dear)).toEqual(["8.00 USD per GB down"]);
    expect(offerQuery(dear).filters.inet_down_cost).toEqual({ lte: 0.05 });
  });
});
