import { expect, test } from "vitest";
import { crossFaults } from "../../../../src/action/inputs/cross-checks.ts";
import { inputSchema } from "../../../../src/action/inputs/schema.ts";
import { volumeOf } from "../../../../src/action/request.ts";
import { inputsOf, NEEDED_INPUTS } from "../../support/a-run.ts";

/** As the platform hands them over: an input that is left out is an empty text. */
const EMPTY = Object.fromEntries(Object.keys(inputSchema.shape).map((name) => [name, ""]));
const names = (given: Record<string, string>) =>
  crossFaults(inputSchema.parse({ ...EMPTY, ...NEEDED_INPUTS, ...given })).map(({ name }) => name);
const LINKED = { "volume-id": "81", "volume-mount-path": "/data" };

test.each([
  ["nothing", {}],
  ["a bid", { pricing: "bid", "bid-price": "0.60", "bid-fallback": "true" }],
  ["a bid without a price", { pricing: " Bid " }],
  ["a volume", LINKED],
  ["a volume for the one machine that can have it", { ...LINKED, machines: "1" }],
  ["a failed machine that is kept to its end", { "keep-failed": "2h" }],
  ["a group of the organisation's runners", { "runner-scope": "org", "runner-group-id": "7" }],
  ["a template instead of an image", { image: "", "template-name": "PyTorch" }],
  ["all at their defaults", { pricing: "on-demand", "bid-fallback": "false", attempts: "4" }],
])("%s is well", (_what, given) => {
  expect(names(given)).toEqual([]);
});

test("an input that is wrong by itself is in no second fault", () => {
  expect(crossFaults({ "volume-mount-path": "/data" })).toEqual([]);
});

test("an image whose name only sounds like Alpine is well", () => {
  expect(names({ image: "octo/alpinist:1" })).toEqual([]);
});

test.each([
  ["a group of runners that a repository does not have", { "runner-group-id": "7" }, "runner-group-id"],
  ["a bid's price on demand", { "bid-price": "0.3" }, "bid-price"],
  ["a bid above max-price", { pricing: "bid", "bid-price": "0.61" }, "bid-price"],
  ["a fallback from nothing", { "bid-fallback": "true" }, "bid-fallback"],
  ["a volume without a path", { "volume-id": "81" }, "volume-mount-path"],
  ["a path without a volume", { "volume-mount-path": "/data" }, "volume-mount-path"],
  ["a volume for several machines", { ...LINKED, machines: "2" }, "machines"],
  ["a failed machine that is kept beyond its end", { "keep-failed": "31m", "max-lifetime": "30m" }, "keep-failed"],
  ["neither image nor template", { image: "" }, "image"],
  ["two names of a template", { "template-name": "PyTorch", "template-hash-id": "4e17788f74f0" }, "template-name"],
  ["an image built on Alpine", { image: "python:3.12-alpine3.20" }, "image"],
  ["Alpine itself", { image: "docker.io/library/alpine" }, "image"],
])("%s is a fault", (_what, given, name) => {
  expect(names(given)).toContain(name);
});

test("the volume of a create is none, or that of the account", () => {
  expect(volumeOf(inputsOf({}))).toBeUndefined();
  expect(volumeOf(inputsOf(LINKED))).toEqual({ id: 81, mountPath: "/data" });
});
