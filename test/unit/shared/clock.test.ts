import { expect, test } from "vitest";
import { steady, systemClock } from "../../../src/shared/clock.ts";

const SECOND = 1000;

test("wakes up at an abort with the signal's own reason, not with an AbortError", async () => {
  const reason = new Error("cancelled");
  const stop = new AbortController();
  const sleeping = systemClock.sleep(3_600_000, stop.signal);
  stop.abort(reason);
  await expect(sleeping).rejects.toBe(reason);
});

/** The readings of a clock that is set to this moment after its first second, one second after another. */
function setTo(moment: number): number[] {
  let seconds = 0;
  const now = steady(
    () => (seconds === 0 ? 10_000 : moment),
    () => seconds * SECOND + 0.3,
  );
  return Array.from({ length: 4 }, () => {
    seconds += 1;
    return now();
  });
}

test("a clock that is set forward by three hours goes on by the time that has passed", () => {
  expect(setTo(10_810_000)).toEqual([11_000, 12_000, 13_000, 14_000]);
});
