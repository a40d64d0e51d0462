import { expect, test } from "vitest";
import { systemClock } from "../../../src/shared/clock.ts";

test("does not begin to sleep once the signal has aborted, and rejects with the signal's own reason", async () => {
  const reason = new Error("cancelled");
  await expect(systemClock.sleep(3_600_000, AbortSignal.abort(reason))).rejects.toBe(reason);
});

test("wakes up at an abort with the signal's own reason, not with an AbortError", async () => {
  const reason = new Error("cancelled");
  const stop = new AbortController();
  const sleeping = systemClock.sleep(3_600_000, stop.signal);
  stop.abort(reason);
  await expect(sleeping).rejects.toBe(reason);
});

test("takes a time that is over for no time", async () => {
  await expect(systemClock.sleep(-5000)).resolves.toBeUndefined();
});
