import { beforeEach, describe, expect, test } from "vitest";
import { destroyInstance } from "../../../src/machine/destroy.ts";
import { InstanceNotDestroyedError } from "../../../src/machine/provisioning-errors.ts";
import { FakeService } from "../support/fake-service.ts";
import { HandWoundClock } from "../support/hand-wound-clock.ts";
import { RecordedLog } from "../support/recorded-log.ts";
import { FAULTS } from "../support/service-faults.ts";

let clock: HandWoundClock;
let service: FakeService;
let log: RecordedLog;

beforeEach(() => {
  clock = new HandWoundClock();
  service = new FakeService(clock);
  log = new RecordedLog();
  service.put({ id: 7, actual_status: "running" });
});

interface Circumstances {
  /** Until when, from the start of the test; negative: no time is left. */
  seconds?: number;
  signal?: AbortSignal;
  /** How old the instance is; undefined: nobody knows. */
  ageSeconds?: number | undefined;
}

function destroying(given: Circumstances = {}) {
  const { seconds = 90, signal, ageSeconds } = { ageSeconds: 600, ...given };
  const until = clock.start + seconds * 1000;
  const tools = { service: service.client, clock, log, until, ...(signal && { signal }) };
  const createdAt = ageSeconds === undefined ? undefined : clock.start - ageSeconds * 1000;
  return clock.run(destroyInstance(tools, { id: 7, createdAt }));
}

const stillThere = { id: 7 };

test("asks to destroy, looks, and it is gone", async () => {
  expect(await destroying()).toBe("destroyed");
  expect(service.calls.map(({ operation }) => operation)).toEqual(["destroyInstance", "getInstance"]);
});

test("the service's word is not enough: what is still there at the look is asked for again", async () => {
  service.next("getInstance", stillThere, stillThere);
  expect(await destroying()).toBe("destroyed");
  expect(service.of("destroyInstance").map(({ at }) => at)).toEqual([0, 3, 6]);
});

test("an instance that the service never knew had given itself back", async () => {
  service.instances.clear();
  expect(await destroying()).toBe("was-gone");
});

test("one that was there, and is unknown when it is asked for again, was destroyed", async () => {
  service.next("getInstance", FAULTS.down);
  expect(await destroying()).toBe("destroyed");
});

test("a lost answer to the destruction of a fresh instance proves nothing: it may not be visible yet", async () => {
  service.instances.clear();
  service.next("destroyInstance", FAULTS.noAnswer);
  await destroying({ ageSeconds: 5 });
  // It is asked for until it is a minute old, and not only until the first look that finds nothing.
  expect(service.of("destroyInstance").at(-1)?.at).toBeGreaterThanOrEqual(55);
});

test("404 of the destruction is not enough either: the look decides", async () => {
  service.next("destroyInstance", "absent");
  expect(await destroying()).toBe("destroyed");
  expect(service.of("getInstance")).toHaveLength(2);
});

describe('"there is no such instance" counts only for one that is a minute old', () => {
  test.each([
    ["a fresh one", 0],
    ["one whose age nobody knows", undefined],
  ])("%s is asked for until that minute is over: it may not be visible yet", async (_what, ageSeconds) => {
    service.instances.clear();
    clock.at(20_000, () => service.put({ id: 7 }));
    expect(await destroying({ ageSeconds })).toBe("destroyed");
    expect([...service.instances]).toEqual([]);
  });

  test("one that never turns up had given itself back", async () => {
    service.instances.clear();
    expect(await destroying({ ageSeconds: 30 })).toBe("was-gone");
    expect(clock.elapsed).toBe(30_000);
  });

  test("once it was there, its absence counts at once", async () => {
    expect(await destroying({ ageSeconds: 0 })).toBe("destroyed");
    expect(clock.elapsed).toBe(0);
  });

  test.each([
    ["an old one is gone when the next look finds none", 600, 3000],
    // It may as well not have been carried out, and the instance not be visible yet.
    ["a fresh one only when it is a minute old", 0, 60_000],
  ])("a destruction that gave no answer may have been carried out: %s", async (_what, ageSeconds, elapsed) => {
    service.next("destroyInstance", () => {
      service.instances.clear();
      return FAULTS.noAnswer;
    });
    expect(await destroying({ ageSeconds })).toBe("destroyed");
    expect(clock.elapsed).toBe(elapsed);
  });
});

describe("asks again until it is gone, after", () => {
  test.each([
    ["no answer", FAULTS.noAnswer],
    ["a rate limit", FAULTS.tooFast],
    ["5xx", FAULTS.down],
    ["success: false", FAULTS.successFalse],
    ["one 403", FAULTS.forbidden],
  ])("%s", async (_fault, error) => {
    service.next("destroyInstance", error);
    expect(await destroying()).toBe("destroyed");
    expect(service.of("destroyInstance")).toHaveLength(2);
    expect(log.lines[0]).toContain("Instance 7 is not destroyed yet");
  });

  test("a look that could not be read: no evidence that it is gone", async () => {
    service.next("getInstance", FAULTS.unreadable);
    expect(await destroying()).toBe("destroyed");
    expect(service.of("getInstance")).toHaveLength(2);
  });
});

describe("gives up", () => {
  test("after four refusals of the key in a row, which no repetition mends", async () => {
    service.always("destroyInstance", FAULTS.forbidden);
    const error = await destroying().catch((fault: unknown) => fault);
    expect(error).toBeInstanceOf(InstanceNotDestroyedError);
    expect(error).toMatchObject({
      cause: FAULTS.forbidden,
      message: expect.stringContaining("Instance 7 may still be"),
    });
    expect(service.of("destroyInstance").map(({ at }) => at)).toEqual([0, 3, 6, 9]);
  });

  test("not after four in all, with something else between", async () => {
    const { forbidden, down } = FAULTS;
    service.next("destroyInstance", forbidden, forbidden, down, forbidden, forbidden);
    expect(await destroying()).toBe("destroyed");
  });

  test("when the time is over, and names what the service said last", async () => {
    service.always("destroyInstance", FAULTS.successFalse);
    await expect(destroying()).rejects.toThrow(/Instance 7 may still be billing.*The machine did not answer/);
    expect(clock.elapsed).toBe(90_000);
  });

  test("when it is still listed at the end", async () => {
    service.always("getInstance", stillThere);
    await expect(destroying()).rejects.toThrow("Instance 7 may still be billing");
    expect(clock.elapsed).toBe(90_000);
  });

  test("at a cancel, with its reason", async () => {
    const stop = new AbortController();
    clock.at(4000, () => stop.abort(new Error("cancelled")));
    service.always("getInstance", stillThere);
    await expect(destroying({ signal: stop.signal })).rejects.toThrow("cancelled");
  });

  test("never before it asked once, even when no time is left", async () => {
    expect(await destroying({ seconds: -1 })).toBe("destroyed");
  });
});
