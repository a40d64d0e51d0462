import { expect, test } from "vitest";
import type { InstanceOrder } from "../../../../src/marketplace/marketplace.ts";
import { configOf } from "../../../../src/marketplace/vast/translate.ts";
import { anOffer } from "../../support/an-offer.ts";

const ORDER: InstanceOrder = {
  ...{ offerId: 11, label: "ghr1.1.2-1.abcdef.1.9", onstart: "#!/bin/bash\n", env: { GHR_JIT: "x" } },
  ...{ image: "debian:13", disk: 32 },
  runtype: "ssh_proxy",
};
/** The body that rents, and nothing else. Without cancel_unavail a machine that can't be had becomes a stopped one, which bills. */
const BODY = {
  ...{ image: "debian:13", label: "ghr1.1.2-1.abcdef.1.9", disk: 32, runtype: "ssh_proxy" },
  ...{ target_state: "running", env: { GHR_JIT: "x" }, onstart: "#!/bin/bash\n", cancel_unavail: true },
};
const { image: _image, ...OF_TEMPLATE } = BODY;

test.each<[string, Partial<InstanceOrder>, object]>([
  ["an image", {}, BODY],
  ["a bid", { bid: 0.25 }, { ...BODY, price: 0.25 }],
  [
    "a volume",
    { volume: { id: 81, mountPath: "/data" } },
    { ...BODY, volume_info: { create_new: false, volume_id: 81, mount_path: "/data" } },
  ],
  [
    "a template, which keeps its image",
    { templateHashId: "4e17788f", image: undefined, imageLogin: undefined },
    { ...OF_TEMPLATE, template_hash_id: "4e17788f" },
  ],
])("of %s a create says what was given, and no more", (_what, given, body) => {
  expect(configOf({ ...ORDER, ...given })).toEqual(body);
});

test.each([
  ["US", "US"],
  ["NORWAY", undefined],
])("an offer in %j is in %s", (geolocation, country) => {
  expect(anOffer({ geolocation })).toMatchObject({ country, fields: { geolocation: country } });
});

/** 0.15 USD per GB and month of 720 hours, 96 GB. */
test.each([
  ["priced for a smaller disk", { dph_base: 0.4, dph_total: 0.405 }],
  ["only the part that is included is shown", { dph_total: 0.405, storage_total_cost: 0.005 }],
])("storage that the service left out is added: %s", (_what, fields) => {
  expect(anOffer({ ...fields, storage_cost: 0.15 }, 96).price.total).toBeCloseTo(0.42, 10);
});

test("a price is never below what the service says", () => {
  expect(anOffer({ dph_total: 0.4, dph_base: 0.1, storage_cost: -5 }, 96).price.total).toBe(0.4);
});
