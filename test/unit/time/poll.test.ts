import { describe, expect, test } from "vitest";
import { type Look, lookAt, poll } from "../../../src/shared/poll.ts";
import { HandWoundClock } from "../support/hand-wound-clock.ts";

/** Looks that are decided at the n-th, and the moments at which they were taken. */
function looks(clock: HandWoundClock, decidedAt: number) {
  const at: number[] = [];
  const look: Look<string> = async () => {
    at.push(clock.elapsed);
    return at.length === decidedAt && "there";
  };
  return { at, look };
}

describe("poll", () => {
  test("brings back what the first look decided, without any wait", async () => {
    const clock = new HandWoundClock();
    const { at, look } = looks(clock, 1);
    expect(await poll(look, { clock, intervalMs: 1000, until: clock.start + 9000 })).toBe("there");
    expect(at).toEqual([0]);
  });

  test("looks once an interval until it is decided", async () => {
    const clock = new HandWoundClock();
    const { at, look } = looks(clock, 4);
    expect(await clock.run(poll(look, { clock, intervalMs: 1000, until: clock.start + 9000 }))).toBe("there");
    expect(at).toEqual([0, 1000, 2000, 3000]);
  });

  test("looks a last time at the very end, and is undefined then", async () => {
    const clock = new HandWoundClock();
    const { at, look } = looks(clock, 99);
    expect(await clock.run(poll(look, { clock, intervalMs: 1000, until: clock.start + 2500 }))).toBeUndefined();
    expect(at).toEqual([0, 1000, 2000, 2500]);
  });

  test("looks once even when the time is over before it begins", async () => {
    const clock = new HandWoundClock();
    const { at, look } = looks(clock, 99);
    expect(await poll(look, { clock, intervalMs: 1000, until: clock.start - 1 })).toBeUndefined();
    expect(at).toEqual([0]);
  });

  test("can go on without an end", async () => {
    const clock = new HandWoundClock();
    const { at, look } = looks(clock, 1000);
    const endless = { clock, intervalMs: 1000, until: Number.POSITIVE_INFINITY };
    expect(await clock.run(poll(look, endless))).toBe("there");
    expect(at).toHaveLength(1000);
  });

  test("hands the fault of a look on", async () => {
    const clock = new HandWoundClock();
    const look = () => Promise.reject(new Error("blind"));
    await expect(poll(look, { clock, intervalMs: 1000, until: clock.start + 9000 })).rejects.toThrow("blind");
  });

  test("stops waiting as soon as the signal aborts, with its reason", async () => {
    const clock = new HandWoundClock();
    const stop = new AbortController();
    clock.at(1500, () => stop.abort(new Error("cancelled")));
    const { at, look } = looks(clock, 99);
    const polling = poll(look, { clock, intervalMs: 1000, until: clock.start + 9000, signal: stop.signal });
    await expect(clock.run(polling)).rejects.toThrow("cancelled");
    expect(at).toEqual([0, 1000]);
    expect(clock.elapsed).toBe(1500);
  });
});

describe("lookAt", () => {
  test("looks at the given moments, and no more once it is decided", async () => {
    const clock = new HandWoundClock();
    const { at, look } = looks(clock, 3);
    expect(await clock.run(lookAt([0, 2000, 5000, 10_000], look, { clock }))).toBe("there");
    expect(at).toEqual([0, 2000, 5000]);
  });

  test("is undefined when the last look decided nothing", async () => {
    const clock = new HandWoundClock();
    const { at, look } = looks(clock, 99);
    expect(await clock.run(lookAt([0, 2000, 5000], look, { clock }))).toBeUndefined();
    expect(at).toEqual([0, 2000, 5000]);
  });

  test("counts the moments from the start, however long a look takes", async () => {
    const clock = new HandWoundClock();
    const at: number[] = [];
    const slow = async () => {
      at.push(clock.elapsed);
      await clock.sleep(3000);
      return undefined;
    };
    await clock.run(lookAt([0, 2000, 10_000], slow, { clock }));
    expect(at).toEqual([0, 3000, 10_000]);
  });

  test("stops at an abort", async () => {
    const clock = new HandWoundClock();
    const stop = new AbortController();
    clock.at(1000, () => stop.abort(new Error("cancelled")));
    const { look } = looks(clock, 99);
    await expect(clock.run(lookAt([0, 2000], look, { clock, signal: stop.signal }))).rejects.toThrow("cancelled");
  });
});
