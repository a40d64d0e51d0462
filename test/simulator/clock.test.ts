import { expect, test } from "vitest";
import { scaledClock } from "../../simulator/clock/sim-clock.ts";

const HOUR_MS = 3_600_000;
const FAST = 36_000;

test("starts at its origin and runs as many times as fast as the wall clock", () => {
  const origin = Date.now() - 1000;
  const before = Date.now();
  const now = scaledClock(20, origin).now();
  const after = Date.now();
  expect(now).toBeGreaterThanOrEqual(origin + (before - origin) * 20);
  expect(now).toBeLessThanOrEqual(origin + (after - origin) * 20);
});

test("is the wall clock when no factor is given", () => {
  const before = Date.now();
  const now = scaledClock().now();
  expect(now).toBeGreaterThanOrEqual(before);
  expect(now).toBeLessThanOrEqual(Date.now());
});

test("calls back when the simulated time is up, and never before", async () => {
  const clock = scaledClock(FAST);
  const start = clock.now();
  const called = await new Promise<number>((resolve) => {
    // The timer itself keeps no process alive.
    const alive = setInterval(() => {}, 1000);
    clock.after(HOUR_MS, () => {
      clearInterval(alive);
      resolve(clock.now());
    });
  });
  expect(called - start).toBeGreaterThanOrEqual(HOUR_MS);
});

test("does not call back what was cancelled", async () => {
  const clock = scaledClock(FAST);
  const called: string[] = [];
  const cancel = clock.after(HOUR_MS, () => called.push("cancelled"));
  cancel();
  await clock.sleep(2 * HOUR_MS);
  expect(called).toEqual([]);
});

test("sleeps past what one timer of Node can hold", async () => {
  const clock = scaledClock(1e9);
  const start = clock.now();
  await clock.sleep(2 ** 33);
  expect(clock.now() - start).toBeGreaterThanOrEqual(2 ** 33);
});

test("ends a sleep with the signal's reason, before or while it sleeps", async () => {
  const clock = scaledClock();
  await expect(clock.sleep(HOUR_MS, AbortSignal.abort(new Error("early")))).rejects.toThrow("early");
  const controller = new AbortController();
  const sleeping = clock.sleep(HOUR_MS, controller.signal);
  controller.abort(new Error("meanwhile"));
  await expect(sleeping).rejects.toThrow("meanwhile");
});

test("tells children its factor and origin", () => {
  expect(scaledClock(2.5, 1_700_000_000_000).childEnv()).toEqual({
    SIM_TIME_FACTOR: "2.5",
    SIM_TIME_ORIGIN: "1700000000000",
  });
});

test("refuses a factor that is no speed", () => {
  for (const factor of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
    expect(() => scaledClock(factor)).toThrow("above 0");
  }
});
