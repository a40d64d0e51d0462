import { expect, test } from "vitest";
import { systemClock } from "../../../src/shared/clock.ts";

test("wakes up at an abort with the signal's own reason, not with an AbortError", async () => {
  const reason = new Error("cancelled");
  const stop = new AbortController();
  const sleeping = systemClock.sleep(3_600_000, stop.signal);
  stop.abort(reason);
  await expect(sleeping).rejects.toBe(reason);
});
