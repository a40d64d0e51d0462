import { describe, expect, test } from "vitest";
import { offerQuery, widerQuery } from "../../../src/market/offer-query.ts";
import { judgeOffer } from "../../../src/market/rules/judge-offer.ts";
import { describeWishes } from "../../../src/market/rules/offer-rules.ts";
import { anOffer, someWishes, whyNot } from "../support/an-offer.ts";

describe("a bid", () => {
  const offer = anOffer({ min_bid: 0.3, dph_total: 0.3 });

  test("below an offer's lowest keeps it away, and names the input", () => {
    const [objection] = judgeOffer(offer, someWishes({ bid: { price: 0.2 } }));
    expect(objection).toMatchObject({ why: "the lowest bid is 0.30 USD", rule: { remedy: { input: "bid-price" } } });
    expect(whyNot(offer, someWishes({ bid: { price: 0.3 } }))).toEqual([]);
    expect(whyNot(offer, someWishes({ bid: { price: undefined } }))).toEqual([]);
    expect(whyNot(offer, someWishes())).toEqual([]);
  });

  test("and its storage must fit max-price: it is what is paid", () => {
    const dear = someWishes({ bid: { price: 0.7 }, maxPrice: 0.6 });
    expect(whyNot(offer, dear)).toEqual(["0.70 USD per hour with storage"]);
    expect(whyNot(offer, { ...dear, maxPrice: 0.7 })).toEqual([]);
    // The offer's price on demand is of no weight.
    expect(whyNot(anOffer({ ...offer, dph_total: 0.59 }), someWishes({ bid: { price: 0.31 }, maxPrice: 0.4 }))).toEqual(
      [],
    );
  });
});

describe("a volume", () => {
  const wishes = someWishes({ machine: 501 });

  test("binds the search to its machine, also where the service does not apply the filter", () => {
    expect(offerQuery(wishes).filters.machine_id).toEqual({ eq: 501 });
    expect(whyNot(anOffer({ machine_id: 501 }), wishes)).toEqual([]);
    const [objection] = judgeOffer(anOffer({ machine_id: 502 }), wishes);
    expect(objection).toMatchObject({ why: "the volume is on machine 501", rule: { remedy: { input: "volume-id" } } });
    expect(describeWishes(wishes)).toContain("on machine 501, where the volume is");
  });

  test("keeps to its machine whatever offer-filter says, and leaves the wider search wide", () => {
    const filter = { machine_id: { eq: 502 } };
    expect(whyNot(anOffer({ machine_id: 502 }), { ...wishes, filter })).toEqual(["the volume is on machine 501"]);
    expect(widerQuery(wishes).filters.machine_id).toBeUndefined();
  });

  test("on a machine that is excluded leaves none", () => {
    expect(whyNot(anOffer({ machine_id: 501 }), { ...wishes, excludedMachines: [501] })).toEqual([
      "its machine is excluded",
    ]);
  });
});
