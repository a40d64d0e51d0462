import { expect, test } from "vitest";
import { crossFaults, inputWarnings } from "../../../../src/action/inputs/cross-checks.ts";
import { inputSchema } from "../../../../src/action/inputs/schema.ts";
import { inputsOf, NEEDED_INPUTS } from "../../support/a-run.ts";

/** As the platform hands them over: an input that is left out is an empty text. */
const EMPTY = Object.fromEntries(Object.keys(inputSchema.shape).map((name) => [name, ""]));
const names = (given: Record<string, string>) =>
  crossFaults(inputSchema.parse({ ...EMPTY, ...NEEDED_INPUTS, ...given })).map(({ name }) => name);
const LINKED = { "volume-id": "81", "volume-mount-path": "/data" };

test.each([
  ["nothing", {}],
  ["a bid", { pricing: "bid", "bid-price": "0.60", "bid-fallback": "true" }],
  ["a failed machine that is kept to its end", { "keep-failed": "2h" }],
  ["a template instead of an image", { image: "", "template-name": "PyTorch" }],
  ["an image whose name only sounds like Alpine", { image: "octo/alpinist:1" }],
])("%s is well", (_what, given) => {
  expect(names(given)).toEqual([]);
});

test("an input that is wrong by itself is in no second fault", () => {
  expect(crossFaults({ "volume-mount-path": "/data" })).toEqual([]);
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
  ["two names of a template", { "template-name": "PyTorch", "template-hash-id": "4e17788f74f0" }, "template-name"],
  ["an image built on Alpine", { image: "python:3.12-alpine3.20" }, "image"],
])("%s is a fault", (_what, given, name) => {
  expect(names(given)).toContain(name);
});

const LOGIN = { "image-login": "-u octo -p abcdefgh docker.io" };

/** The lines on these inputs, and on an image with a tag. */
const lines = (given: Record<string, string> = {}) => inputWarnings(inputsOf({ image: "ubuntu:24.04", ...given }));

test.each([
  [{ image: "octo/cuda" }, false, "The image has neither tag nor digest; octo/cuda:latest is used."],
  [{ machines: "1" }, false, "hedge has no effect with machines: 1"],
  [{ image: "ghcr.io/octo/cuda:1", ...LOGIN }, false, "image-login is for another registry than ghcr.io, where the "],
  [{ "search-timeout": "1h" }, false, "search-timeout (1h) is more than ready-timeout (25m), which ends the search "],
  // What may cost a job is worth an annotation before anything is rented.
  [{ "max-lifetime": "9m", "idle-timeout": "1m" }, true, "max-lifetime leaves a machine 9m"],
  [{ "max-cost": "0.05" }, true, "max-cost (0.0500 USD) pays a machine at max-price (0.60 USD per hour) for 5m"],
  [{ "max-lifetime": "20m", "job-minutes": "30" }, true, "max-lifetime leaves a machine 20m"],
  [{ "max-cost": "0.20", "job-minutes": "30" }, true, "for 20m. A GPU job that takes longer loses its machine. Raise "],
])("%j may not do what was meant (worth a warning: %s)", (given, isWarning, line) => {
  expect(lines(given)).toEqual([{ text: expect.stringContaining(line), isWarning }]);
});

test.each([
  [{}],
  [{ "max-lifetime": "10m", "max-cost": "0.10" }],
  [{ machines: "1", hedge: "false" }],
  [{ image: "octo/cuda:1", "image-login": "-u octo -p abcdefgh index.docker.io/v1/" }],
  [{ machines: "1", hold: "false" }],
  [{ "search-timeout": "1h", "ready-timeout": "1h" }],
])("%j is as it looks", (given) => {
  expect(lines(given)).toEqual([]);
});
