import { describe, expect, test } from "vitest";
import { describePull, pullMs } from "../../../src/timing/boot.ts";

describe("the time to pull", () => {
  test("a host whose speed is missing or 0 counts as one of 200 Mbit/s", () => {
    for (const inetDownMbps of [undefined, 0, -1]) expect(pullMs(1e9, { inetDownMbps })).toBe(100_000);
  });

  test.each([
    [3.2e9, 840, "about 2 min to pull 3.2 GB at 840 Mbit/s"],
    [30e6, 900.4, "about 1 min to pull 30 MB at 900 Mbit/s"],
    [3.2e9, undefined, "about 5 min to pull 3.2 GB at an unknown speed"],
  ])("%d bytes at %s: %s", (bytes, inetDownMbps, words) => {
    expect(describePull(bytes, { inetDownMbps })).toBe(words);
  });
});
