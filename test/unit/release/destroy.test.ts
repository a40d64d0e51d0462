import { beforeEach, describe, expect, test } from "vitest";
import { destroyInstance } from "../../../src/release/destroy.ts";
import { InstanceNotDestroyedError } from "../../../src/release/errors.ts";
import { HandWoundClock } from "../support/hand-wound-clock.ts";
import { RecordedLog } from "../support/recorded-log.ts";
import { FAULTS } from "../support/service-faults.ts";
import { aMarketInstance, StandInMarket } from "../support/stand-in-market.ts";

let clock: HandWoundClock;
let service: StandInMarket;
let log: RecordedLog;

beforeEach(() => {
  clock = new HandWoundClock();
  service = new StandInMarket(clock);
  log = new RecordedLog();
  service.put({ id: 7 });
});

interface Circumstances {
  /** Until when, from the start of the test; negative: no time is left. */
  seconds?: number;
  signal?: AbortSignal;
  /** How old the instance is; undefined: nobody knows. */
  ageSeconds?: number | undefined;
  /** The service's list showed it once. */
  wasListed?: boolean;
}

function destroying(given: Circumstances = {}) {
  const { seconds = 90, signal, ageSeconds, wasListed = false } = { ageSeconds: 600, ...given };
  const until = clock.start + seconds * 1000;
  const tools = { service: service, clock, log, until, ...(signal && { signal }) };
  const createdAt = ageSeconds === undefined ? undefined : clock.start - ageSeconds * 1000;
  return clock.run(destroyInstance(tools, { id: 7, createdAt, wasListed }));
}

const stillThere = aMarketInstance({ id: 7 });

test("an instance that the service never knew had given itself back", async () => {
  service.instances.clear();
  expect(await destroying()).toBe("was-gone");
});

describe('"there is no such instance" counts only for one that is a minute old', () => {
  test("one that never turns up had given itself back", async () => {
    service.instances.clear();
    expect(await destroying({ ageSeconds: 30 })).toBe("was-gone");
    expect(clock.elapsed).toBe(30_000);
  });

  test("one that was listed once: its absence counts at once", async () => {
    expect(await destroying({ ageSeconds: 0, wasListed: true })).toBe("destroyed");
    expect(clock.elapsed).toBe(0);
  });

  test("one that was never listed: the service, asked again, must know none", async () => {
    expect(await destroying({ ageSeconds: 0 })).toBe("destroyed");
    expect(service.of("destroy").map(({ at }) => at)).toEqual([0, 3]);
  });

  test("a service that says it is destroyed, and lies while no answer shows it yet, is asked until it is", async () => {
    const appears = () => service.put({ id: 7 });
    service.instances.clear();
    for (let time = 0; time < 5; time += 1) service.next("destroy", "asked");
    clock.at(14_000, appears);
    expect(await destroying({ ageSeconds: 0 })).toBe("destroyed");
    expect([...service.instances]).toEqual([]);
    expect(service.of("destroy").map(({ at }) => at)).toEqual([0, 3, 6, 9, 12, 15, 18]);
  });

  test.each([
    ["an old one is gone when the look finds none", 600, 0],
    // It may as well not have been carried out, and the instance not be visible yet.
    ["a fresh one only when it is a minute old", 0, 60_000],
  ])("a destruction that gave no answer may have been carried out: %s", async (_what, ageSeconds, elapsed) => {
    service.next("destroy", () => {
      service.instances.clear();
      return FAULTS.noAnswer;
    });
    expect(await destroying({ ageSeconds })).toBe("destroyed");
    expect(clock.elapsed).toBe(elapsed);
  });
});

describe("a machine that is gone after the first answer", () => {
  const { forbidden, ...unclear } = FAULTS;
  const goneAfter = (fault: Error) => {
    service.next("destroy", () => {
      service.instances.clear();
      return fault;
    });
    return destroying();
  };

  test.each(Object.entries(unclear))("may be our doing, and counts as it: %s", async (_what, fault) => {
    expect(await goneAfter(fault)).toBe("destroyed");
  });

  test("had given itself back, where the key was refused", async () => {
    expect(await goneAfter(forbidden)).toBe("was-gone");
  });
});

describe("a destruction that is refused, of an instance that is gone: the look decides", () => {
  beforeEach(() => {
    service.instances.clear();
    service.always("destroy", FAULTS.badRequest);
  });

  test("an old one is gone", async () => {
    await destroying();
    expect(clock.elapsed).toBe(0);
  });

  test("a fresh one when it is a minute old: it may not be visible yet", async () => {
    await destroying({ ageSeconds: 30 });
    expect(clock.elapsed).toBe(30_000);
  });
});

test("requests without an answer, to destroy an instance that gave itself back: the look decides", async () => {
  service.instances.clear();
  service.always("destroy", FAULTS.noAnswer);
  expect(await destroying()).toBe("destroyed");
  expect(service.of("get").map(({ at }) => at)).toEqual([0]);
});

test("a request and a look that both fail, time and again, are logged once each; the error names the request's fault", async () => {
  service.always("destroy", FAULTS.noAnswer);
  service.always("get", FAULTS.down);
  const failure = destroying();
  await expect(failure).rejects.toThrow(InstanceNotDestroyedError);
  await expect(failure).rejects.toThrow(FAULTS.noAnswer.message);
  expect(log.lines).toHaveLength(2);
});

describe("asks again until it is gone, after", () => {
  test.each([
    ["no answer", FAULTS.noAnswer],
    ["a rate limit", FAULTS.tooFast],
    ["5xx", FAULTS.down],
    ["success: false", FAULTS.successFalse],
    ["one 403", FAULTS.forbidden],
  ])("%s", async (_fault, error) => {
    service.next("destroy", error);
    expect(await destroying()).toBe("destroyed");
    expect(service.of("destroy")).toHaveLength(2);
    expect(log.lines[0]).toContain("Instance 7 is not destroyed yet");
  });

  test.each([
    ["can't be read", FAULTS.unreadable],
    ["met a rate limit", FAULTS.tooFast],
    ["met 5xx", FAULTS.down],
  ])("a look that %s: no evidence that it is gone, and none that it must be asked for again", async (_what, fault) => {
    service.next("get", fault);
    expect(await destroying()).toBe("destroyed");
    expect(service.of("get").map(({ at }) => at)).toEqual([0, 3]);
    expect(service.of("destroy")).toHaveLength(1);
  });
});

describe("several side by side", () => {
  const many = (ids: readonly number[], signal?: AbortSignal) => {
    const tools = { service: service, clock, log, until: clock.start + 90_000, ...(signal && { signal }) };
    return clock.run(Promise.all(ids.map((id) => destroyInstance(tools, { id, createdAt: clock.start - 600_000 }))));
  };
  /** The service takes a while for each, one after the other. */
  const slowly = (seconds: number, count: number) => {
    for (let nth = 1; nth <= count; nth += 1) {
      const id = 6 + nth;
      service.next("destroy", async () => {
        await clock.sleep(nth * seconds * 1000);
        return service.instances.delete(id) ? "asked" : "gone";
      });
    }
  };

  beforeEach(() => {
    for (const id of [8, 9, 10]) service.put({ id });
  });

  test("the first ones wait for the others' answers, but ten seconds at the most", async () => {
    slowly(4, 4);
    expect(await many([7, 8, 9, 10])).toEqual(Array(4).fill("destroyed"));
    // Answers at 4, 8, 12 and 16 s.
    expect(service.of("list").map(({ at }) => at)).toEqual([14]);
    expect(service.of("get")).toMatchObject([{ id: 10, at: 16 }]);
  });

  test("one that stays is asked for again, and holds none of the others", async () => {
    service.next("list", [stillThere], [stillThere]);
    service.next("get", stillThere, stillThere);
    expect(await many([7, 8, 9])).toEqual(Array(3).fill("destroyed"));
    expect(service.of("destroy").map(({ id }) => id)).toEqual([7, 8, 9, 7, 7, 7]);
  });

  test("a list that shows what the service denies when it is asked again is old: each is looked at", async () => {
    service.always("list", [stillThere, aMarketInstance({ id: 8 })]);
    // Twice, and at a time: the answers to the second requests are that there is none.
    slowly(1, 2);
    slowly(1, 2);
    expect(await many([7, 8])).toEqual(Array(2).fill("destroyed"));
    expect(service.of("destroy").map(({ id }) => id)).toEqual([7, 8, 7, 8]);
    expect(service.of("get").map(({ id }) => id)).toEqual([7, 8]);
  });

  test("a list that lacks what the service did not take proves nothing: each is looked at, and asked for again", async () => {
    service.next("destroy", FAULTS.down, FAULTS.down);
    service.always("list", []);
    expect(await many([7, 8])).toEqual(Array(2).fill("destroyed"));
    expect(service.of("destroy").map(({ id }) => id)).toEqual([7, 8, 7, 8]);
    expect([...service.instances.keys()]).toEqual([9, 10]);
  });

  test("a cancel while the first ones wait for the others leaves nothing that the process would wait for", async () => {
    const stop = new AbortController();
    slowly(4, 4);
    clock.at(6000, () => stop.abort(new Error("cancelled")));
    await expect(many([7, 8, 9, 10], stop.signal)).rejects.toThrow("cancelled");
    expect(service.of("list")).toEqual([]);
  });
});

describe("ends without a confirmation", () => {
  test("when the key is refused to the end of the time, and not before", async () => {
    service.always("destroy", FAULTS.forbidden);
    const error = await destroying().catch((fault: unknown) => fault);
    expect(error).toBeInstanceOf(InstanceNotDestroyedError);
    expect(error).toMatchObject({
      cause: FAULTS.forbidden,
      message: expect.stringContaining("Instance 7 may still be"),
    });
    expect(service.of("destroy").at(-1)?.at).toBe(90);
    // Said once, and not every three seconds.
    expect(log.lines).toHaveLength(1);
  });

  test("when the time is over, and names what the service said last", async () => {
    service.always("destroy", FAULTS.successFalse);
    await expect(destroying()).rejects.toThrow(/Instance 7 may still be billing.*The machine did not answer/);
    expect(clock.elapsed).toBe(90_000);
  });

  test("when it is still listed at the end", async () => {
    service.always("get", stillThere);
    await expect(destroying()).rejects.toThrow("Instance 7 may still be billing");
    expect(clock.elapsed).toBe(90_000);
  });

  test("never before it asked once, even when no time is left", async () => {
    expect(await destroying({ seconds: -1 })).toBe("destroyed");
  });
});
