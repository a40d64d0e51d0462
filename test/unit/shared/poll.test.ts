import { describe, expect, test } from "vitest";
import { poll } from "../../../src/shared/poll.ts";
import { HandWoundClock } from "../support/hand-wound-clock.ts";

/** Looks that are decided at the n-th, and the moments at which they were taken. */
function looks(clock: HandWoundClock, decidedAt: number) {
  const at: number[] = [];
  const look = async () => {
    at.push(clock.elapsed);
    return at.length === decidedAt && "there";
  };
  return { at, look };
}

describe("poll", () => {
  test("can go on without an end", async () => {
    const clock = new HandWoundClock();
    const { at, look } = looks(clock, 1000);
    const endless = { clock, intervalMs: 1000, until: Number.POSITIVE_INFINITY };
    expect(await clock.run(poll(look, endless))).toBe("there");
    expect(at).toHaveLength(1000);
  });
});
