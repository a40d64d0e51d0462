import { expect, test } from "vitest";
import { reduce } from "../../../src/fleet/reduce.ts";
import { emptyFleet } from "../../../src/fleet/state.ts";
import { steady, systemClock } from "../../../src/shared/clock.ts";

const SECOND = 1000;

test("wakes up at an abort with the signal's own reason, not with an AbortError", async () => {
  const reason = new Error("cancelled");
  const stop = new AbortController();
  const sleeping = systemClock.sleep(3_600_000, stop.signal);
  stop.abort(reason);
  await expect(sleeping).rejects.toBe(reason);
});

/** A clock that shows these moments, one second of passed time after another. */
function showing(...moments: number[]): () => number {
  let seconds = 0;
  return steady(
    () => moments[seconds++] ?? 0,
    () => seconds * SECOND + 0.3,
  );
}

test("a clock that is set back goes on by the time that has passed, and follows when it is set forward", () => {
  const now = showing(10_000, 11_000, 2000, 3000, 14_000, 95_000);
  expect(Array.from({ length: 6 }, now)).toEqual([10_000, 11_000, 12_000, 13_000, 14_000, 95_000]);
});

test("a search that is answered after the clock was set back is over: else no later one would be sent", () => {
  const now = showing(10_000, 11_000, 2000, 3000);
  const fleet = emptyFleet(0);
  for (const _search of ["before", "after"]) {
    fleet.isSearching = true;
    reduce(fleet, { kind: "OffersFound", askedAt: now(), at: now(), isBid: false, candidates: [] });
    expect(fleet.isSearching).toBe(false);
  }
});
