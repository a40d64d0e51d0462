import { describe, expect, test } from "vitest";
import type { WireOffer } from "../../../src/marketplace/vast/schemas.ts";
import { explainNoOffer } from "../../../src/offers/explain-no-offer.ts";
import type { OfferRequirements } from "../../../src/offers/offer-requirements.ts";
import { judgeOffer } from "../../../src/offers/rules.ts";
import { anOffer, someRequirements } from "../support/an-offer.ts";

/** The explanation when the market has these and no others. */
function explain(offers: Partial<WireOffer>[], given: Partial<OfferRequirements> = {}) {
  const requirements = someRequirements(given);
  const market = offers.map((fields, id) => {
    const offer = anOffer({ id, ...fields });
    return { offer, price: offer.price, objections: judgeOffer(offer, requirements) };
  });
  return explainNoOffer(requirements, market);
}

describe("the price alone", () => {
  test("names the cheapest that fits otherwise, not the cheapest of all", () => {
    expect(explain([{ dph_total: 0.7, rentable: false }, { dph_total: 0.9 }, { dph_total: 0.75 }])).toEqual({
      sentence: "No RTX 4090 under 0.60 USD per hour: the cheapest that fits otherwise is 0.75 USD.",
      hint: "Raise max-price to 0.75 USD or more.",
    });
  });

  test("the lowest bid that is named is one that would do", () => {
    const bid = { bid: { price: 0.2 } };
    expect(explain([{ min_bid: 0.20441 }], bid).sentence).toContain("the lowest bid is 0.2045 USD");
    expect(explain([{ min_bid: 1.1 }], { ...bid, maxPrice: 2 }).sentence).toContain("the lowest bid is 1.10 USD");
  });
});

describe("another input alone", () => {
  const inputs: [string, Partial<WireOffer>[], Partial<OfferRequirements>, string, string][] = [
    [
      "a least amount: the one that comes nearest",
      [{ cuda_max_good: 12.1, dph_total: 0.3 }, { cuda_max_good: 12.4 }],
      { minCuda: 12.8 },
      "Only min-cuda keeps 2 offers away, from 0.30 USD per hour; the nearest: a driver for CUDA 12.4.",
      "Lower min-cuda, or run the job again later.",
    ],
    [
      "a choice: the cheapest",
      [{ geolocation: "Texas, US" }, { geolocation: ", CA", dph_total: 0.3 }],
      { geolocation: ["SE"] },
      "Only geolocation keeps 2 offers away, from 0.30 USD per hour; the nearest: in CA.",
      "Widen geolocation, or run the job again later.",
    ],
    [
      "the given filter",
      [{ disk_bw: 310 }],
      { offerFilter: { disk_bw: { gte: 500 } } },
      "Only offer-filter keeps one offer away, from 0.40 USD per hour; the nearest: disk_bw 310.",
      "Widen offer-filter, or run the job again later.",
    ],
    [
      "the time that is needed",
      [{ duration: 7200 }],
      {},
      "Only max-lifetime keeps one offer away, from 0.40 USD per hour; the nearest: rentable for only 2 h.",
      "Lower max-lifetime, or run the job again later.",
    ],
  ];

  inputs.push([
    "the image's CUDA",
    [{ compute_cap: 1200, dph_total: 0.3 }],
    { gpuName: [], imageCuda: 12.1 },
    "Only min-cuda keeps one offer away, from 0.30 USD per hour; the nearest: compute capability 12.0, for which an image needs CUDA 12.8 or newer.",
    "Set a number as min-cuda, or run the job again later.",
  ]);

  test.each(inputs)("%s", (_what, offers, requirements, sentence, hint) => {
    expect(explain(offers, requirements)).toMatchObject({ sentence, hint });
  });

  test("among equals, the one that keeps the cheaper away", () => {
    const offers = [{ dph_total: 0.75 }, { inet_down: 100 }];
    expect(explain(offers, { minInetDownMbps: 200 }).sentence).toMatch(/^Only min-inet-down-mbps/);
  });
});

test("several things at once: those of the offer that fails in the fewest", () => {
  const offers = [
    { dph_total: 0.75, inet_down: 100, reliability: 0.9 },
    { dph_total: 0.75, inet_down: 150 },
  ];
  expect(explain(offers, { minInetDownMbps: 200 })).toEqual({
    sentence: "The nearest offer fails in 2 things: 0.75 USD per hour with storage, only 150 Mbit/s down.",
    hint: "Raise max-price, lower min-inet-down-mbps.",
  });
});

test("what no input keeps away is no advice", () => {
  expect(explain([{ rentable: false }, { verification: "unverified", dph_total: 0.9 }])).toEqual({
    sentence:
      "None of the 2 offers that the service has can be had: not rentable; not verified (unverified), 0.90 USD per hour with storage.",
    hint: "Run the job again later, or widen gpu-name or num-gpus.",
  });
  expect(explain([{ rentable: false }]).sentence).toBe(
    "The one offer that the service has can't be had: not rentable.",
  );
});

test("something that the service does not show keeps them away", () => {
  expect(explain([{}, { dph_total: 0.3 }]).sentence).toBe(
    "Of these GPUs the service has 2 offers, from 0.30 USD per hour, which something keeps away that it does not show.",
  );
});

test("nothing at all: asks whether the name is spelled right", () => {
  expect(explain([])).toEqual({
    sentence: "The service shows no RTX 4090 at all.",
    hint: "Widen gpu-name or num-gpus, and check that gpu-name is spelled as on the service's site.",
  });
});

test.each([
  [{ gpuName: ["RTX 4090", "L40S"] }, "no RTX 4090 or L40S at all"],
  [{ gpuName: ["RTX 4090"], numGpus: 8 }, "no 8 × RTX 4090 at all"],
  [{ gpuName: [] }, "no GPU at all"],
])("names the GPUs of %j", (requirements, words) => {
  expect(explain([], requirements).sentence).toContain(words);
});

describe("waiting can't help", () => {
  const considered = (gpu_name: string, total: number) => ({
    offer: anOffer({ gpu_name }),
    price: { total, storage: 0 },
    objections: [{ why: "rented" }],
  });
  const hopeless = (all: Parameters<typeof explainNoOffer>[3], gpuName = ["RTX 4090"]) =>
    explainNoOffer(someRequirements({ gpuName, maxPrice: 0.5 }), [], [], all);

  test("nobody has a GPU of that name, rented or not", () => {
    expect(hopeless([]).isHopeless).toBe(true);
    expect(hopeless([considered("RTX 3090", 0.2)]).isHopeless).toBe(true);
  });

  test("none costs less than twice max-price", () => {
    expect(hopeless([considered("RTX 4090", 1.2), considered("RTX 4090", 1)])).toMatchObject({
      isHopeless: true,
      sentence: "No RTX 4090 under 0.50 USD per hour: the cheapest there is, rented or not, is 1.00 USD.",
    });
  });

  test("one that is rented now may come back", () => {
    const explained = hopeless([considered("RTX 4090", 0.99)]);
    expect(explained.isHopeless).toBeUndefined();
    expect(explained.sentence).toBe("The service has such GPUs, and shows none that is for rent now.");
  });
});

describe("GPUs that are on offer, but not so many in one machine", () => {
  const offers = (...given: Partial<WireOffer>[]) => {
    const requirements = someRequirements({ numGpus: 2, maxPrice: 0.5 });
    const all = given.map((fields, id) => {
      const offer = anOffer({ id, ...fields });
      return { offer, price: offer.price, objections: judgeOffer(offer, requirements) };
    });
    return explainNoOffer(requirements, [], [], all);
  };

  test("the counts that there are, and the input to change", () => {
    const explained = offers({ num_gpus: 4, dph_total: 2 }, {}, { num_gpus: 1, dph_total: 0.3 });
    expect(explained).toEqual({
      sentence: "RTX 4090 is on offer with 1 and 4 GPUs, not with 2.",
      hint: "Set num-gpus to 1 or 4, or run the job again later.",
      input: "num-gpus",
    });
  });

  test("one count, and three", () => {
    expect(offers({}).sentence).toBe("RTX 4090 is on offer with 1 GPU, not with 2.");
    const three = offers({}, { num_gpus: 8 }, { num_gpus: 4 });
    expect(three.sentence).toBe("RTX 4090 is on offer with 1, 4 and 8 GPUs, not with 2.");
    expect(three.hint).toContain("Set num-gpus to 1, 4 or 8,");
  });

  test("what nobody can have does not count, and what is rented now may come back", () => {
    const rented = { num_gpus: 2, rented: true };
    const unverified = { num_gpus: 4, verification: "unverified" };
    expect(offers(rented, unverified).sentence).toBe("The service has such GPUs, and shows none that is for rent now.");
    expect(offers(rented, unverified, {}).sentence).toBe("RTX 4090 is on offer with 1 GPU, not with 2.");
  });

  test("a price that is far off comes first", () => {
    expect(offers({ dph_total: 3 })).toMatchObject({ isHopeless: true, hint: expect.stringContaining("max-price") });
  });
});

describe("a name that nobody has", () => {
  test.each([
    ["RTX 4O90", "RTX 4090"],
    ["H100", "H100 SXM, H100 PCIE, H100 NVL"],
    ["A6000", "RTX A6000"],
    ["MI300X", "MI300X OAM"],
    ["mi300x-oam", "MI300X OAM"],
  ])("%s: %s", (written, names) => {
    const offers = [
      { offer: anOffer({ gpu_name: "MI300X OAM" }), price: { total: 9, storage: 0 }, objections: [{ why: "x" }] },
    ];
    expect(explainNoOffer(someRequirements({ gpuName: [written] }), [], offers)).toMatchObject({
      sentence: `The service shows no ${written} at all: no host offers a GPU by that name.`,
      hint: `Set \`gpu-name: ${names}\`, the nearest that the service knows.`,
    });
  });

  test("but for its capitals: the name that the service knows", () => {
    const offers = [{ offer: anOffer({ gpu_name: "RTX 9999" }), price: { total: 9, storage: 0 }, objections: [] }];
    expect(explainNoOffer(someRequirements({ gpuName: ["rtx 9999"] }), [], offers).hint).toBe(
      "Set `gpu-name: RTX 9999`, the nearest that the service knows: one fits, from 9.00 USD per hour.",
    );
  });

  test("and that is like no other: the usual question", () => {
    expect(explain([], { gpuName: ["Voodoo 2"] }).hint).toContain("spelled as on the service's site");
  });
});

test("what other GPUs would do: the kind of which most fit, and its lowest price", () => {
  const other = (gpu_name: string, total: number, fits = true) => ({
    offer: anOffer({ gpu_name }),
    price: { total, storage: 0 },
    objections: fits ? [] : [{ why: "too dear" }],
  });
  const others = [
    other("RTX 3090", 0.31),
    other("RTX 3090", 0.35),
    other("A40", 0.2),
    other("L4", 0.1, false),
    other("RTX_4090", 0.1),
  ];
  const { hint } = explainNoOffer(
    someRequirements(),
    [
      {
        offer: anOffer(),
        price: { total: 0.71, storage: 0 },
        objections: judgeOffer(anOffer({ dph_total: 0.71 }), someRequirements()),
      },
    ],
    others,
  );
  expect(hint).toBe("Raise max-price to 0.71 USD or more. Or add RTX 3090 to gpu-name: 2 fit, from 0.31 USD per hour.");
});

test("foreign text stays in one line, and short", () => {
  const { sentence } = explain([{ gpu_name: `RTX\n::error::${"x".repeat(400)}` }]);
  expect(sentence).not.toContain("\n");
  expect(sentence.length).toBeLessThan(300);
});
