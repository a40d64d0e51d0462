import { describe, expect, test } from "vitest";
import { offerSchema } from "../../../../../src/marketplace/vast/schemas.ts";

const PROMISED = { id: 11, num_gpus: 1, gpu_name: "RTX 4090", dph_total: 0.4 };

test("reads an offer that has no more than the specification promises", () => {
  expect(offerSchema.parse(PROMISED)).toEqual(PROMISED);
});

test("keeps fields that it does not know", () => {
  expect(offerSchema.parse({ ...PROMISED, vericode: 1 })).toHaveProperty("vericode", 1);
});

describe("junk in a field that is not promised makes the field unknown, not the offer", () => {
  test.each(["dph_base", "storage_cost", "machine_id", "reliability", "duration", "disk_space", "gpu_ram"])(
    "%s",
    (field) => {
      for (const junk of [null, "n/a", Number.NaN, {}]) {
        expect(offerSchema.parse({ ...PROMISED, [field]: junk })).toHaveProperty(field, undefined);
      }
    },
  );

  test("verified: null, external: null", () => {
    const offer = offerSchema.parse({ ...PROMISED, verified: null, external: null, verification: null });
    expect(offer).toMatchObject({ verified: undefined, external: undefined, verification: undefined });
  });
});

describe("an offer without what is promised is none", () => {
  test.each(["id", "num_gpus", "gpu_name", "dph_total"])("%s", (field) => {
    expect(offerSchema.safeParse({ ...PROMISED, [field]: undefined }).success).toBe(false);
    expect(offerSchema.safeParse({ ...PROMISED, [field]: null }).success).toBe(false);
  });

  test.each([0, -1, 1.5, 1e21])("no more is one whose id is %d", (id) => {
    expect(offerSchema.safeParse({ ...PROMISED, id }).success).toBe(false);
  });

  test("nor one that is paid for by its host: it would make room in max-cost", () => {
    expect(offerSchema.safeParse({ ...PROMISED, dph_total: -0.5 }).success).toBe(false);
    expect(offerSchema.parse({ ...PROMISED, inet_down_cost: -5 }).inet_down_cost).toBeUndefined();
  });

  test("least of all one whose price is not a number", () => {
    expect(offerSchema.safeParse({ ...PROMISED, dph_total: Number.NaN }).success).toBe(false);
  });
});
