import { expect, test } from "vitest";
import { inputWarnings } from "../../../../src/action/inputs/cross-checks.ts";
import { inputsOf } from "../../support/a-run.ts";

test("the defaults, with an image that has a tag: no warning", () => {
  expect(inputWarnings(inputsOf({ image: "ubuntu:24.04" }))).toEqual([]);
});

test.each([
  [{ image: "octo/cuda" }, "The image has neither tag nor digest; octo/cuda:latest is used."],
  [{ machines: "1" }, "hedge has no effect with machines: 1"],
  [
    { image: "ghcr.io/octo/cuda:1", "image-login": "-u octo -p abcdefgh docker.io" },
    "image-login is for another registry than ghcr.io, where the image is: it is pulled without a login.",
  ],
  [{ "search-timeout": "1h" }, "search-timeout (1h) is more than ready-timeout (25m), which ends the search as well"],
])("%j", (given, line) => {
  const [warning, ...others] = inputWarnings(inputsOf({ image: "ubuntu:24.04", ...given }));
  expect(warning).toEqual({ text: expect.stringContaining(line), isWarning: false });
  expect(others).toEqual([]);
});

test.each([
  [{ "max-lifetime": "9m", "idle-timeout": "1m" }, "max-lifetime leaves a machine 9m"],
  [{ "max-cost": "0.05" }, "max-cost (0.0500 USD) pays a machine at max-price (0.60 USD per hour) for 5m"],
])("%j leaves a machine less than ten minutes: worth an annotation before it is rented", (given, line) => {
  const [warning, ...others] = inputWarnings(inputsOf({ image: "ubuntu:24.04", ...given }));
  expect(warning).toEqual({ text: expect.stringContaining(line), isWarning: true });
  expect(others).toEqual([]);
});

test.each([
  [{ "max-lifetime": "20m", "job-minutes": "30" }, "max-lifetime leaves a machine 20m"],
  [
    { "max-cost": "0.20", "job-minutes": "30" },
    "for 20m. A GPU job that takes longer loses its machine. Raise max-cost.",
  ],
])("%j is less than the job takes", (given, line) => {
  const warnings = inputWarnings(inputsOf({ image: "ubuntu:24.04", ...given }));
  expect(warnings).toEqual([{ text: expect.stringContaining(line), isWarning: true }]);
});

test("ten minutes are enough", () => {
  const given = { image: "ubuntu:24.04", "max-lifetime": "10m", "max-cost": "0.10" };
  expect(inputWarnings(inputsOf(given))).toEqual([]);
});

test.each([
  [{ machines: "1", hedge: "false" }],
  [{ image: "octo/cuda:1", "image-login": "-u octo -p abcdefgh index.docker.io/v1/" }],
  [{ machines: "1", hold: "false" }],
  [{ "search-timeout": "1h", "ready-timeout": "1h" }],
])("%j is as it looks", (given) => {
  expect(inputWarnings(inputsOf({ image: "ubuntu:24.04", ...given }))).toEqual([]);
});
