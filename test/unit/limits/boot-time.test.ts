import { describe, expect, test } from "vitest";
import {
  describeBoot,
  describePull,
  type ImageFacts,
  limitsFor,
  longestAutoBootMs,
  pullMs,
} from "../../../src/limits/boot-time.ts";

const MINUTE = 60_000;
const LIMITS = {
  bootMs: 40 * MINUTE,
  onlineMs: 5 * MINUTE,
  readyMs: 60 * MINUTE,
  lifetimeMs: 120 * MINUTE,
  idleMs: 5 * MINUTE,
};

function image(given: Partial<ImageFacts> = {}): ImageFacts {
  return { bytes: undefined, isDevel: false, decidesBoot: true, ...given };
}

function bootMinutes(facts: ImageFacts, inet_down?: number, limits = LIMITS): number {
  return limitsFor({ image: facts, limits }, { inet_down }).bootMs / MINUTE;
}

describe("the time to pull", () => {
  test("half of the line, and 20 s a GB to unpack", () => {
    expect(pullMs(1e9, { inet_down: 160 })).toBe(100_000 + 20_000);
    expect(pullMs(10e9, { inet_down: 1600 })).toBe(100_000 + 200_000);
  });

  test("a host that does not tell its speed, or tells none, is taken for one of 200 Mbit/s", () => {
    for (const inet_down of [undefined, 0, -1]) expect(pullMs(1e9, { inet_down })).toBe(100_000);
  });

  test.each([
    [3.2e9, 840, "about 2 min to pull 3.2 GB at 840 Mbit/s"],
    [30e6, 900.4, "about 1 min to pull 30 MB at 900 Mbit/s"],
    [3.2e9, undefined, "about 5 min to pull 3.2 GB at an unknown speed"],
  ])("%d bytes at %s: %s", (bytes, inet_down, words) => {
    expect(describePull(bytes, { inet_down })).toBe(words);
  });
});

describe("boot-timeout: auto", () => {
  test.each([
    ["a small image", 0.1e9, 500, 10],
    ["a usual one on a fast host", 3.2e9, 840, 10],
    ["the same on a slow one", 3.2e9, 200, 19],
    ["a big one on a fast host", 12e9, 1000, 25],
    ["a big one on a slow host", 12e9, 100, 40],
  ])("%s: %d bytes at %d Mbit/s have %d min", (_what, bytes, inetDown, minutes) => {
    expect(bootMinutes(image({ bytes }), inetDown)).toBe(minutes);
  });

  test("is at least three times what is expected, in between", () => {
    const bytes = 8e9;
    for (const inet_down of [300, 500, 700]) {
      expect(bootMinutes(image({ bytes }), inet_down) * MINUTE).toBeGreaterThan(3 * pullMs(bytes, { inet_down }));
    }
  });

  test("an unknown size: 10 min, and 20 for a devel image, whatever the host", () => {
    expect(bootMinutes(image(), 10)).toBe(10);
    expect(bootMinutes(image({ isDevel: true }), 10_000)).toBe(20);
  });

  test("is cut by ready-timeout, which says so", () => {
    const limits = { ...LIMITS, readyMs: 25 * MINUTE };
    expect(bootMinutes(image({ bytes: 12e9 }), 100, limits)).toBe(25);
    expect(describeBoot({ image: image({ bytes: 12e9 }), limits }, { inet_down: 100 })).toBe(
      "It has 25m to boot, cut by ready-timeout; about 36 min to pull 12.0 GB at 100 Mbit/s.",
    );
  });

  test("is never more than what offers are asked to last for", () => {
    for (const bytes of [undefined, 1e6, 3e9, 1e12]) {
      for (const isDevel of [true, false]) {
        for (const inetDown of [undefined, 1, 100, 1e5]) {
          const facts = image({ bytes, isDevel });
          expect(bootMinutes(facts, inetDown) * MINUTE).toBeLessThanOrEqual(longestAutoBootMs(facts));
        }
      }
    }
  });
});

test("a boot-timeout that is given holds, whatever the image", () => {
  const facts = image({ bytes: 30e9, decidesBoot: false });
  const limits = { ...LIMITS, bootMs: 2 * MINUTE };
  expect(limitsFor({ image: facts, limits }, { inet_down: 10 })).toBe(limits);
  expect(describeBoot({ image: image({ decidesBoot: false }), limits }, {})).toBe("It has 2m to boot.");
});
