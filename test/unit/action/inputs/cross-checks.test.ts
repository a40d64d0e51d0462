import { describe, expect, test } from "vitest";
import { crossFaults } from "../../../../src/action/inputs/cross-checks.ts";
import { inputSchema } from "../../../../src/action/inputs/input-schema.ts";
import { volumeOf } from "../../../../src/action/inputs/volume-inputs.ts";

const names = (given: Record<string, string>) => crossFaults({ "max-price": "0.60", ...given }).map(({ name }) => name);
const LINKED = { "volume-id": "81", "volume-mount-path": "/data" };
const NEW = { ...LINKED, "volume-create-new": "true", "volume-size": "30", attempts: "1" };

test.each([
  ["nothing", {}],
  ["a bid", { pricing: "bid", "bid-price": "0.60", "bid-fallback": "true" }],
  ["a bid without a price", { pricing: " Bid " }],
  ["a volume that exists", LINKED],
  ["a new volume", NEW],
  [
    "all at their defaults",
    { pricing: "on-demand", "bid-fallback": "false", "volume-create-new": "false", attempts: "4" },
  ],
])("%s is well", (_what, given) => {
  expect(names(given)).toEqual([]);
});

test.each([
  ["a bid's price on demand", { "bid-price": "0.3" }, "bid-price"],
  ["a bid above max-price", { pricing: "bid", "bid-price": "0.61" }, "bid-price"],
  ["a fallback from nothing", { "bid-fallback": "true" }, "bid-fallback"],
  ["a volume without a path", { "volume-id": "81" }, "volume-mount-path"],
  ["a path without a volume", { "volume-mount-path": "/data" }, "volume-mount-path"],
  ["a size without a volume", { "volume-size": "30" }, "volume-size"],
  ["a size for a volume that exists", { ...LINKED, "volume-size": "30" }, "volume-size"],
  ["a new volume without a size", { ...NEW, "volume-size": "" }, "volume-size"],
  [
    "a new volume without an offer",
    { "volume-create-new": "true", "volume-size": "", attempts: "1" },
    "volume-create-new",
  ],
  ["a new volume with each attempt", { ...NEW, attempts: "2" }, "attempts"],
  ["a new volume with the usual attempts", { ...NEW, attempts: "" }, "attempts"],
])("%s is a fault", (_what, given, name) => {
  expect(names(given)).toContain(name);
});

describe("the volume of a create", () => {
  const volume = (given: Record<string, string>) => {
    const needed = { "api-key": "k", "github-token": "t", "job-token": "j", "max-price": "0.60", image: "debian:13" };
    return volumeOf(inputSchema.parse({ ...needed, ...given }));
  };

  test("is none, linked or new", () => {
    expect(volume({})).toBeUndefined();
    expect(volume(LINKED)).toEqual({ create_new: false, volume_id: 81, mount_path: "/data" });
    expect(volume(NEW)).toEqual({ create_new: true, volume_id: 81, size: 30, mount_path: "/data" });
  });
});
