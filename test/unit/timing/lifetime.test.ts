import { expect, test } from "vitest";
import { deadlineOf, neededDurationSeconds } from "../../../src/timing/limits.ts";

const LIMITS = { bootMs: 600_000, onlineMs: 300_000, readyMs: 1_500_000, maxLifetime: 7_200_000, idleTimeout: 300_000 };
const NOW = Date.UTC(2026, 0, 1);

test("the label expires 15 minutes after the machine's own deadline", () => {
  const { deadline, expiry } = deadlineOf(NOW, LIMITS);
  expect(deadline).toBe(NOW + 8_100_000);
  expect(expiry).toBe(deadline + 900_000);
});

test("the offer must last until the label has expired", () => {
  expect(neededDurationSeconds(LIMITS)).toBe(9000);
  expect(neededDurationSeconds({ ...LIMITS, maxLifetime: 7_200_001 })).toBe(9001);
});

test("without a bound of money the time is that of the limits", () => {
  expect(deadlineOf(NOW, LIMITS)).toMatchObject({ uptimeMs: 8_100_000, cutBy: "max-lifetime" });
  expect(deadlineOf(NOW, LIMITS, 8_100_000)).toMatchObject({ uptimeMs: 8_100_000, cutBy: "max-lifetime" });
});

test("what can be paid cuts deadline, uptime and the label's expiry alike", () => {
  expect(deadlineOf(NOW, LIMITS, 1_200_000)).toEqual({
    deadline: NOW + 1_200_000,
    expiry: NOW + 2_100_000,
    uptimeMs: 1_200_000,
    cutBy: "max-cost",
  });
});
