import { expect, test } from "vitest";
import type { WireOffer } from "../../../src/marketplace/vast/schemas.ts";
import { explainNoOffer } from "../../../src/offers/explain-no-offer.ts";
import type { OfferRequirements } from "../../../src/offers/offer-requirements.ts";
import { judgeOffer } from "../../../src/offers/rules.ts";
import { anOffer, someRequirements } from "../support/an-offer.ts";

/** Offers that were looked at, with what is wrong with each. */
function considered(rows: Partial<WireOffer>[], given: Partial<OfferRequirements> = {}) {
  return rows.map((row, id) => {
    const offer = anOffer({ id, ...row });
    return { offer, price: offer.price, objections: judgeOffer(offer, someRequirements(given)) };
  });
}

/** The explanation when the market has these and no others. */
function explain(rows: Partial<WireOffer>[], given: Partial<OfferRequirements> = {}) {
  return explainNoOffer(someRequirements(given), considered(rows, given));
}

const RENTED = "The service has such GPUs, and shows none that is for rent now.";
const FAST = { minInetDownMbps: 200 };
const SLOW = [{ dph_total: 0.75 }, { inet_down: 100 }];
const OLD_DRIVERS = [{ cuda_max_good: 12.1, dph_total: 0.3 }, { cuda_max_good: 12.4 }];
const FAR = [{ geolocation: "Texas, US" }, { geolocation: ", CA", dph_total: 0.3 }];
const FILTER = { offerFilter: { disk_bw: { gte: 500 } } };
const NEW_GPU = [{ compute_cap: 1200, dph_total: 0.3 }];
const NEEDS = "compute capability 12.0, for which an image needs CUDA 12.8 or newer";
const BID = { bid: { price: 0.2 }, maxPrice: 2 };

/** Of a least amount the nearest is named, of a choice the cheapest; of equal inputs that of the cheaper offer. */
test.each<[string, Partial<WireOffer>[], Partial<OfferRequirements>, string, string, string]>([
  ["min-cuda keeps 2 offers", OLD_DRIVERS, { minCuda: 12.8 }, "0.30", "a driver for CUDA 12.4", "Lower min-cuda"],
  ["geolocation keeps 2 offers", FAR, { geolocation: ["SE"] }, "0.30", "in CA", "Widen geolocation"],
  ["offer-filter keeps one offer", [{ disk_bw: 310 }], FILTER, "0.40", "disk_bw 310", "Widen offer-filter"],
  ["min-cuda keeps one offer", NEW_GPU, { gpuName: [], imageCuda: 12.1 }, "0.30", NEEDS, "Set a number as min-cuda"],
  // The lowest bid is rounded up to one that would do.
  ["bid-price keeps one offer", [{ min_bid: 0.20441 }], BID, "0.40", "the lowest bid is 0.2045 USD", "Raise bid-price"],
  ["min-inet-down-mbps keeps one offer", SLOW, FAST, "0.40", "only 100 Mbit/s down", "Lower min-inet-down-mbps"],
])("only %s away: %j", (keeps, rows, given, from, nearest, remedy) => {
  const sentence = `Only ${keeps} away, from ${from} USD per hour; the nearest: ${nearest}.`;
  expect(explain(rows, given)).toMatchObject({ sentence, hint: `${remedy}, or run the job again later.` });
});

const DEAR_SLOW = { dph_total: 0.75, inet_down: 150 };
const AGAIN = "Run the job again later, or widen gpu-name or num-gpus.";

test.each<[string, Partial<WireOffer>[], Partial<OfferRequirements>, string, string]>([
  [
    "the price alone: the cheapest that fits otherwise, not the cheapest of all",
    [{ dph_total: 0.7, rentable: false }, { dph_total: 0.9 }, { dph_total: 0.75 }],
    {},
    "No RTX 4090 under 0.60 USD per hour: the cheapest that fits otherwise is 0.75 USD.",
    "Raise max-price to 0.75 USD or more.",
  ],
  [
    "several things at once: those of the offer that fails in the fewest",
    [{ ...DEAR_SLOW, reliability: 0.9 }, DEAR_SLOW],
    FAST,
    "The nearest offer fails in 2 things: 0.75 USD per hour with storage, only 150 Mbit/s down.",
    "Raise max-price, lower min-inet-down-mbps.",
  ],
  [
    "what no input keeps away is no advice",
    [{ rentable: false }, { verification: "unverified", dph_total: 0.9 }],
    {},
    "None of the 2 offers that the service has can be had: not rentable; not verified (unverified), 0.90 USD per hour with storage.",
    AGAIN,
  ],
  ["one", [{ rentable: false }], {}, "The one offer that the service has can't be had: not rentable.", AGAIN],
  [
    "something that the service does not show",
    [{}, { dph_total: 0.3 }],
    {},
    "Of these GPUs the service has 2 offers, from 0.30 USD per hour, which something keeps away that it does not show.",
    "Widen the min-… inputs, geolocation or offer-filter, one at a time.",
  ],
  [
    "nothing at all: asks whether the name is spelled right",
    [],
    {},
    "The service shows no RTX 4090 at all.",
    "Widen gpu-name or num-gpus, and check that gpu-name is spelled as on the service's site.",
  ],
])("%s", (_what, rows, given, sentence, hint) => {
  expect(explain(rows, given)).toMatchObject({ sentence, hint });
});

test.each([
  [{ gpuName: ["RTX 4090", "L40S"] }, "no RTX 4090 or L40S at all"],
  [{ gpuName: [] }, "no GPU at all"],
])("names the GPUs of %j", (requirements, words) => {
  expect(explain([], requirements).sentence).toContain(words);
});

const ofAll = (rows: Partial<WireOffer>[], numGpus = 1) => {
  const given = { numGpus, maxPrice: 0.5 };
  return explainNoOffer(someRequirements(given), [], [], considered(rows, given));
};
const rented = { rented: true };

test.each([
  ["others have others", [{ gpu_name: "RTX 3090", dph_total: 0.2 }], undefined],
  [
    "none costs less than twice max-price",
    [{ dph_total: 1.2 }, { dph_total: 1 }],
    "No RTX 4090 under 0.50 USD per hour: the cheapest there is, rented or not, is 1.00 USD.",
  ],
])("waiting can't help: %s", (_what, rows, sentence) => {
  const explained = ofAll(rows);
  expect(explained.isHopeless).toBe(true);
  if (sentence !== undefined) expect(explained).toMatchObject({ sentence, hint: expect.stringMatching(/max-price/) });
});

test("one that is rented now may come back", () => {
  expect(ofAll([{ ...rented, dph_total: 0.99 }])).toEqual({ sentence: RENTED, hint: "Run the job again later." });
});

test.each([
  [[{ num_gpus: 4, dph_total: 2 }, {}, { num_gpus: 1, dph_total: 0.3 }], "1 and 4 GPUs", "1 or 4"],
  // What nobody can have does not count.
  [[{ num_gpus: 2, ...rented }, { num_gpus: 4, verification: "unverified" }, {}], "1 GPU", "1"],
])("they are on offer, but not so many in one machine: %j", (rows, counts, wanted) => {
  expect(ofAll(rows, 2)).toEqual({
    sentence: `RTX 4090 is on offer with ${counts}, not with 2.`,
    hint: `Set num-gpus to ${wanted}, or run the job again later.`,
    input: "num-gpus",
  });
});

const other = (gpu_name: string, given: Partial<WireOffer> = {}) =>
  considered([{ gpu_name, dph_total: 9, rentable: false, ...given }], { gpuName: [], maxPrice: 9 });

test.each([
  ["RTX 4O90", "RTX 4090"],
  ["H100", "H100 SXM, H100 PCIE, H100 NVL"],
  ["mi300x-oam", "MI300X OAM"],
])("a name that nobody has, %s: %s", (written, names) => {
  expect(explainNoOffer(someRequirements({ gpuName: [written] }), [], other("MI300X OAM"))).toMatchObject({
    sentence: `The service shows no ${written} at all: no host offers a GPU by that name.`,
    hint: `Set \`gpu-name: ${names}\`, the nearest that the service knows.`,
  });
});

test("a name that nobody has, but for its capitals: the name that the service knows", () => {
  const others = other("RTX 9999", { rentable: true });
  expect(explainNoOffer(someRequirements({ gpuName: ["rtx 9999"] }), [], others).hint).toBe(
    "Set `gpu-name: RTX 9999`, the nearest that the service knows: one fits, from 9.00 USD per hour.",
  );
});

test("a name that nobody has, and that is like no other: the usual question", () => {
  expect(explain([], { gpuName: ["Voodoo 2"] }).hint).toContain("spelled as on the service's site");
});

test("what other GPUs would do: the kind of which most fit, and its lowest price", () => {
  const prices = Object.entries({ "RTX 3090": [0.31, 0.35], A40: [0.2], L4: [9], RTX_4090: [0.1] });
  const rows = prices.flatMap(([gpu_name, all]) => all.map((dph_total) => ({ gpu_name, dph_total })));
  const others = considered(rows, { gpuName: [] });
  const { hint } = explainNoOffer(someRequirements(), considered([{ dph_total: 0.71 }]), others);
  expect(hint).toBe("Raise max-price to 0.71 USD or more. Or add RTX 3090 to gpu-name: 2 fit, from 0.31 USD per hour.");
});
