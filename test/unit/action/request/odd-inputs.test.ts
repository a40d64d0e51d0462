import { expect, test } from "vitest";
import { inputWarnings } from "../../../../src/action/request.ts";
import { inputsOf } from "../../support/a-run.ts";

test("the defaults, with an image that has a tag: nothing to tell", () => {
  expect(inputWarnings(inputsOf({ image: "ubuntu:24.04" }))).toEqual([]);
});

test.each([
  [{ image: "octo/cuda" }, "The image has neither tag nor digest; octo/cuda:latest is used."],
  [{ machines: "1" }, "hedge has no effect with machines: 1"],
  [
    { image: "ghcr.io/octo/cuda:1", "image-login": "-u octo -p abc docker.io" },
    "image-login is for another registry than ghcr.io, where the image is: it is pulled without a login.",
  ],
  [{ "search-timeout": "1h" }, "search-timeout (1h) is more than ready-timeout (25m), which ends the search as well"],
])("%j", (given, line) => {
  expect(inputWarnings(inputsOf({ image: "ubuntu:24.04", ...given }))).toEqual([expect.stringContaining(line)]);
});

test.each([
  [{ machines: "1", hedge: "false" }],
  [{ image: "octo/cuda:1", "image-login": "-u octo -p abc index.docker.io/v1/" }],
  [{ machines: "1", hold: "false" }],
  [{ "search-timeout": "1h", "ready-timeout": "1h" }],
])("%j is as it looks", (given) => {
  expect(inputWarnings(inputsOf({ image: "ubuntu:24.04", ...given }))).toEqual([]);
});
