import { beforeEach, describe, expect, test } from "vitest";
import { destroySession } from "../../../src/release/destroy-session.ts";
import { HandWoundClock } from "../support/hand-wound-clock.ts";
import { RecordedLog } from "../support/recorded-log.ts";
import { FAULTS } from "../support/service-faults.ts";
import { aMarketInstance, StandInMarket } from "../support/stand-in-market.ts";

const PREFIX = "ghr1.1.2-1.abcdef";

let clock: HandWoundClock;
let service: StandInMarket;
let log: RecordedLog;

beforeEach(() => {
  clock = new HandWoundClock();
  log = new RecordedLog();
  service = new StandInMarket(clock);
});

interface Remains {
  /** Ids of instances that main wrote down, ten minutes ago. */
  known?: number[];
  isUncertain?: boolean;
}

async function destroying(remains: Remains = {}) {
  const { destroyed, undestroyed } = await outcome(remains);
  return { destroyed, undestroyed };
}

function outcome({ known = [], isUncertain = false }: Remains) {
  const tools = { service: service, clock, log, until: clock.start + 210_000 };
  const doomed = known.map((id) => ({ id, createdAt: clock.start - 600_000 }));
  return clock.run(destroySession(tools, { prefix: PREFIX, known: doomed, isUncertain }));
}

/** An instance of this session. */
function ours(id: number, n = 1) {
  return aMarketInstance({ id, label: `${PREFIX}.${n}.1798761600` });
}

test("destroys what is known, before anything else", async () => {
  service.put(ours(7));
  expect(await destroying({ known: [7] })).toEqual({ destroyed: [7], undestroyed: [] });
  expect(service.calls[0]).toMatchObject({ method: "destroy", id: 7, at: 0 });
});

test("reports what the list shows of each, for the bill", async () => {
  service.put({ ...ours(7), traffic: { downGb: 50 } });
  const { shown } = await outcome({});
  expect(shown).toEqual([expect.objectContaining({ id: 7, traffic: { downGb: 50 } })]);
});

test("reports when each was seen to be gone, for the bill", async () => {
  service.put(ours(7));
  service.next("destroy", FAULTS.down);
  const { goneAt } = await outcome({ known: [7] });
  expect(goneAt).toEqual(new Map([[7, clock.start + 3000]]));
});

test("destroys what carries the prefix and a dot, and nothing else", async () => {
  service.put(ours(7));
  service.put(ours(8, 12));
  service.put({ id: 9, label: `${PREFIX}g.1.1798761600` });
  service.put({ id: 10, label: "ghr1.1.2-1.abcdeg.1.1798761600" });
  service.put({ id: 11, label: "somebody's training run" });
  service.put({ id: 12 });
  expect(await destroying()).toEqual({ destroyed: [7, 8], undestroyed: [] });
  expect([...service.instances.keys()]).toEqual([9, 10, 11, 12]);
});

test("looks until a look finds none: as soon as what it found is destroyed", async () => {
  service.put(ours(7));
  service.next("destroy", FAULTS.down);
  await destroying();
  expect(service.of("list").map(({ at }) => at)).toEqual([0, 0, 3]);
});

test("what is still listed after its end is asked for and looked at again after a pause", async () => {
  service.always("list", [ours(7)]);
  clock.at(12_000, () => service.always("list", []));
  await destroying({ known: [7] });
  expect(service.of("list").map(({ at }) => at)).toEqual([0, 3, 6, 6, 9, 12]);
  // Each answer is the same: it is said once.
  expect(log.lines).toEqual(["Instance 7 was gone already."]);
});

test("one that is listed again after it counted as gone is asked for again", async () => {
  service.put(ours(7));
  // Another server of the service answers, and knows nothing of it yet.
  service.next("destroy", "asked");
  service.next("get", "gone");
  expect(await destroying({ known: [7] })).toEqual({ destroyed: [7], undestroyed: [] });
  // A list may be late by 5 s.
  expect(service.of("destroy").map(({ at }) => at)).toEqual([0, 6]);
  expect(clock.elapsed).toBe(6000);
});

test("the oldest goes first, and many are asked for at the same time", async () => {
  for (const id of [7, 8, 9]) service.put(ours(id, id));
  await destroying({ known: [7, 8, 9] });
  expect(service.of("destroy").map(({ id }) => id)).toEqual([7, 8, 9]);
});

test("each of sixteen is asked for and looked at once, and one list shows that nothing is left", async () => {
  const ids = Array.from({ length: 16 }, (_, index) => 700 + index);
  for (const id of ids) service.put(ours(id, id));
  expect(await destroying({ known: ids })).toEqual({ destroyed: ids, undestroyed: [] });
  expect(service.of("destroy")).toHaveLength(16);
  expect(service.of("get")).toHaveLength(16);
  expect(service.of("list")).toHaveLength(1);
});

test("what was asked for and is no longer listed is only looked at; what is listed is asked for again", async () => {
  const { noAnswer } = FAULTS;
  for (const id of [7, 8]) service.put(ours(id, id));
  service.next("destroy", noAnswer, noAnswer);
  clock.at(1000, () => service.instances.delete(7));
  // So that the list is not older than that.
  service.next("list", async () => {
    await clock.sleep(2000);
    return [ours(8, 8)];
  });
  expect(await destroying({ known: [7, 8] })).toEqual({ destroyed: [7, 8], undestroyed: [] });
  expect(service.of("destroy").map(({ id }) => id)).toEqual([7, 8, 8]);
});

test("requests get no answer for minutes, while list and look deny the instance: it is gone at once", async () => {
  service.always("destroy", FAULTS.noAnswer);
  expect(await destroying({ known: [7] })).toEqual({ destroyed: [7], undestroyed: [] });
  expect(clock.elapsed).toBe(0);
});

test("what had given itself back was not destroyed by us", async () => {
  expect(await destroying({ known: [7] })).toEqual({ destroyed: [], undestroyed: [] });
});

test("what main destroyed, and a list still shows, was gone already: nobody says that it gave itself back", async () => {
  service.next("list", [ours(7)]);
  expect(await destroying()).toEqual({ destroyed: [], undestroyed: [] });
  expect(log.lines).toEqual(["Instance 7 was gone already."]);
});

test("a known instance is destroyed even when the list never shows it", async () => {
  service.put(ours(7));
  service.always("list", []);
  expect(await destroying({ known: [7] })).toEqual({ destroyed: [7], undestroyed: [] });
});

test("an instance that is listed for a while after its end holds nothing up", async () => {
  service.next("list", [ours(7)], [ours(7)]);
  expect(await destroying({ known: [7] })).toEqual({ destroyed: [], undestroyed: [] });
});

describe("after an uncertain create", () => {
  test("an instance that turns up late is destroyed", async () => {
    clock.at(32_000, () => service.put(ours(7)));
    expect(await destroying({ isUncertain: true })).toEqual({ destroyed: [7], undestroyed: [] });
    expect(clock.elapsed).toBe(40_000);
  });

  test("is looked for at 0, 2, 5, 10, 20 and 40 s", async () => {
    await destroying({ isUncertain: true });
    expect(service.of("list").map(({ at }) => at)).toEqual([0, 2, 5, 10, 20, 40]);
  });

  test("one that turns up at the very end, too", async () => {
    clock.at(39_000, () => service.put(ours(7)));
    expect(await destroying({ isUncertain: true })).toEqual({ destroyed: [7], undestroyed: [] });
  });

  test("nothing turns up: it looked for 40 s", async () => {
    expect(await destroying({ isUncertain: true })).toEqual({ destroyed: [], undestroyed: [] });
    expect(clock.elapsed).toBe(40_000);
  });

  test("without one, a single clean look is enough", async () => {
    await destroying();
    expect(clock.elapsed).toBe(0);
  });
});

describe("names what may still bill", () => {
  test("an instance that stays", async () => {
    service.put(ours(7));
    service.always("destroy", FAULTS.successFalse);
    expect(await destroying({ known: [7] })).toEqual({ destroyed: [], undestroyed: ["instance 7"] });
  });

  test("whatever carries the prefix, when the list could never be read", async () => {
    service.always("list", FAULTS.down);
    const { undestroyed } = await destroying();
    expect(undestroyed).toEqual([expect.stringContaining(PREFIX)]);
  });

  test("not the known one that was destroyed, though the list could not be read; but what else there may be", async () => {
    service.put(ours(7));
    service.always("list", FAULTS.down);
    const { destroyed, undestroyed } = await destroying({ known: [7] });
    expect(destroyed).toEqual([7]);
    expect(undestroyed).toEqual([expect.stringContaining(PREFIX)]);
  });

  test("a key that may not destroy, for which it is asked as long as there is time", async () => {
    service.put(ours(7));
    service.always("destroy", FAULTS.forbidden);
    expect((await destroying({ known: [7] })).undestroyed).toEqual(["instance 7"]);
    expect(service.of("destroy").at(-1)?.at).toBe(210);
  });

  test("both: the one that stays, and what else there may be", async () => {
    service.put(ours(7));
    service.always("destroy", FAULTS.successFalse);
    service.always("list", FAULTS.down);
    const { undestroyed } = await destroying({ known: [7] });
    expect(undestroyed).toEqual(["instance 7", expect.stringContaining(PREFIX)]);
  });
});

describe("does not cry wolf", () => {
  test("a list that could be read again", async () => {
    service.next("list", FAULTS.down, FAULTS.unreadable);
    service.put(ours(7));
    expect(await destroying()).toEqual({ destroyed: [7], undestroyed: [] });
  });

  test("an instance that was refused at first, and destroyed when the key was good again", async () => {
    const { forbidden } = FAULTS;
    service.put(ours(7));
    service.next("destroy", forbidden, forbidden, forbidden, forbidden);
    expect(await destroying({ known: [7] })).toEqual({ destroyed: [7], undestroyed: [] });
  });

  test("an instance that was refused at first, and then gave itself back", async () => {
    const { forbidden } = FAULTS;
    service.put(ours(7));
    service.next("destroy", forbidden, forbidden, forbidden, forbidden);
    clock.at(8000, () => service.instances.clear());
    expect(await destroying({ known: [7] })).toEqual({ destroyed: [], undestroyed: [] });
  });
});

test("a stubborn one does not keep the others waiting", async () => {
  service.put(ours(7));
  service.put(ours(8, 2));
  service.put(ours(9, 3));
  service.next("get", ours(7), ours(7));
  await destroying({ known: [7, 8, 9] });
  expect(service.of("destroy").slice(0, 3)).toMatchObject([
    { id: 7, at: 0 },
    { id: 8, at: 0 },
    { id: 9, at: 0 },
  ]);
});

test("a stubborn one does not keep the looks at the list waiting", async () => {
  service.put(ours(7));
  service.always("destroy", FAULTS.successFalse);
  await destroying({ known: [7] });
  expect(service.of("list").map(({ at }) => at)).toContain(15);
});

test("a bug while the list is read is not taken for a fault of the service", async () => {
  service.always("list", new TypeError("a bug"));
  await expect(destroying()).rejects.toThrow("a bug");
});

test("a bug while one is destroyed is logged, and does not hide that it may still bill", async () => {
  service.put(ours(7));
  service.put(ours(8, 2));
  service.always("destroy", new TypeError("a bug"));
  const { undestroyed } = await destroying({ known: [7, 8] });
  expect(undestroyed).toEqual(["instance 7", "instance 8"]);
  expect(log.warnings.join("\n")).toContain("a bug");
});

test("one that is kept for a moment is destroyed after it, the others at once, and all are seen to be gone", async () => {
  service.put(ours(7));
  service.put(ours(8, 2));
  const tools = { service: service, clock, log, until: clock.start + 210_000 };
  const known = [7, 8].map((id) => ({ id, createdAt: 0 }));
  const mayGo = (id: number) => id !== 7 || clock.elapsed >= 29_000;
  const { destroyed, undestroyed } = await clock.run(
    destroySession(tools, { prefix: PREFIX, known, isUncertain: false }, mayGo),
  );
  expect({ destroyed, undestroyed }).toEqual({ destroyed: [7, 8], undestroyed: [] });
  const deletes = service.calls.filter(({ method }) => method === "destroy");
  expect(deletes.map(({ at, id }) => [id, at])).toEqual([
    [8, 0],
    [7, 30],
  ]);
});

test("without a time, one round is made, and what is kept is named", async () => {
  service.put(ours(7));
  service.put(ours(8, 2));
  const known = [7, 8].map((id) => ({ id, createdAt: 0 }));
  const tools = { service, clock, log, until: clock.start };
  const used = await clock.run(destroySession(tools, { prefix: PREFIX, known, isUncertain: false }, (id) => id !== 7));
  expect(used).toMatchObject({ destroyed: [8], undestroyed: ["instance 7"] });
  expect(clock.elapsed).toBe(0);
});

test("an abort ends it with what was done so far", async () => {
  service.put(ours(7));
  service.put(ours(8, 2));
  service.next("get", "gone", ours(8, 2));
  service.always("destroy", "asked");
  const stop = new AbortController();
  clock.at(1000, () => stop.abort(new Error("time over")));
  const known = [7, 8].map((id) => ({ id, createdAt: 0 }));
  const tools = { service, clock, log, until: clock.start + 210_000, signal: stop.signal };
  const used = await clock.run(destroySession(tools, { known, isUncertain: false }));
  expect(used).toMatchObject({ destroyed: [7], undestroyed: ["instance 8"] });
});
