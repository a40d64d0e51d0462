import { mkdtempDisposableSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { countLivedTime, lostIn } from "../../simulator/clock/lived-time.ts";
import { scaledClock } from "../../simulator/clock/sim-clock.ts";

const HOUR_MS = 3_600_000;

test("does not call back what was cancelled, nor before its time", async () => {
  const clock = scaledClock(36_000);
  const start = clock.now();
  const called: string[] = [];
  clock.after(HOUR_MS, () => called.push("cancelled"))();
  await clock.sleep(2 * HOUR_MS);
  expect(clock.now() - start).toBeGreaterThanOrEqual(2 * HOUR_MS);
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

test.each([
  ["nothing, while three share a core", 20, { runnable: 6, cores: 2 }, 0],
  ["nothing, when nobody wants a core", 20, { runnable: 0, cores: 2 }, 0],
  ["two thirds, with nine processes to a core", 30, { runnable: 18, cores: 2 }, 20],
  ["all but two looks' time, when the looking process could not run", 500, { runnable: 1, cores: 2 }, 460],
])("%s, is lost", (_what, elapsedMs, load, lost) => expect(lostIn(elapsedMs, load)).toBeCloseTo(lost, 9));

test("while the simulator's own process can't run, time stands still for all of its world, and that is in the file", async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "lost-time-"));
  using lived = countLivedTime(join(folder.path, "lived"));
  const before = lived.now();
  const until = performance.now() + 300;
  while (performance.now() < until);
  expect(lived.now() - before).toBeLessThanOrEqual(40);
  const words = () => readFileSync(lived.file, "utf8").split(" ");
  const read = () => words().map((us) => Number(us) / 1000);
  await expect.poll(() => read()[1], { timeout: 60_000 }).toBeGreaterThan(200);
  expect(Math.abs(Date.now() - Number(read()[0]))).toBeLessThan(5000);
});

test("the clock stands still in lost time, and never goes back", () => {
  let now = Date.now();
  const clock = scaledClock(20, now - 1000, { now: () => now, file: "" });
  const before = clock.now();
  now -= 600;
  expect(clock.now()).toBe(before);
  now += 601;
  expect(clock.now()).toBe(before + 20);
});
