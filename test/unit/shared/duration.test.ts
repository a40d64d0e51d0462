import { expect, test } from "vitest";
import { formatDuration, parseDuration } from "../../../src/shared/duration.ts";

test("a duration has whole hours, minutes and seconds", () => {
  expect(["90s", "1h30m", "1h0m5s", "0s"].map(parseDuration)).toEqual([90_000, 5_400_000, 3_605_000, 0]);
});

test.each([
  ["a bare number", "90"],
  ["nothing", ""],
  ["digits without an end", `${"9".repeat(400)}h`],
  ["a second line", "5m\n"],
])("no duration: %s", (_what, text) => {
  expect(parseDuration(text)).toBeUndefined();
});

test.each([])("%i ms are written as people read them", (milliseconds, text) => {
  expect(formatDuration(milliseconds)).toBe(text);
});
