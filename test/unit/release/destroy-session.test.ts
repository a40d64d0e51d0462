import { beforeEach, describe, expect, test } from "vitest";
import { GithubUnavailableError } from "../../../src/github/github-errors.ts";
import { destroySession, remainsOf, removeRunners } from "../../../src/release/destroy-session.ts";
import type { Ledger } from "../../../src/release/ledger.ts";
import { aLedger } from "../support/a-session-report.ts";
import { clock, freshWorld, log, service } from "../support/fresh-world.ts";
import { FAULTS } from "../support/service-faults.ts";
import { aMarketInstance } from "../support/stand-in-market.ts";

freshWorld();

const PREFIX = "ghr1.1.2-1.abcdef";
/** What else there may be. */
const MORE = expect.stringContaining(PREFIX);

interface Given {
  /** Ids of instances that main wrote down, ten minutes ago. */
  known?: number[];
  isUncertain?: boolean;
  /** As for the sweep, which has no prefix. */
  isOnlyKnown?: boolean;
  mayGo?: (id: number) => boolean;
  /** Milliseconds; 210 s if left out. */
  withinMs?: number;
  signal?: AbortSignal;
}

function destroying({ known = [], isUncertain = false, isOnlyKnown, mayGo, withinMs = 210_000, signal }: Given = {}) {
  const tools = { service, clock, log, until: clock.start + withinMs, ...(signal && { signal }) };
  const doomed = known.map((id) => ({ id, createdAt: clock.start - 600_000 }));
  const prefix = isOnlyKnown ? undefined : PREFIX;
  return clock.run(destroySession(tools, { prefix, known: doomed, isUncertain }, mayGo));
}

const ours = (id: number, n = 1) => aMarketInstance({ id, label: `${PREFIX}.${n}.1798761600` });
const put = (...ids: number[]) => {
  for (const id of ids) service.put(ours(id, id));
};
const gone = () => service.instances.clear();
const asked = () => service.of("destroy").map(({ at, id }) => `${id} at ${at}`);
const times = (method: "list" | "destroy") => service.of(method).map(({ at }) => at);

test("destroys what is known before anything else, and reports what the list shows of each, for the bill", async () => {
  service.put({ ...ours(7), traffic: { downGb: 50 } });
  service.next("destroy", FAULTS.down);
  const { destroyed, goneAt, shown, undestroyed } = await destroying({ known: [7] });
  expect(service.calls[0]).toMatchObject({ method: "destroy", id: 7, at: 0 });
  expect([destroyed, undestroyed]).toEqual([[7], []]);
  expect(shown).toEqual([expect.objectContaining({ id: 7, traffic: { downGb: 50 } })]);
  expect(goneAt).toEqual(new Map([[7, clock.start + 3000]]));
});

test("destroys what carries the prefix and a dot, and nothing else", async () => {
  put(7, 12);
  service.put({ id: 9, label: `${PREFIX}g.1.1798761600` });
  service.put({ id: 10, label: "ghr1.1.2-1.abcdeg.1.1798761600" });
  service.put({ id: 11, label: "somebody's training run" });
  service.put({ id: 13 });
  expect(await destroying()).toMatchObject({ destroyed: [7, 12], undestroyed: [] });
  expect([...service.instances.keys()]).toEqual([9, 10, 11, 13]);
});

const KNOWN = { known: [7] };
const { down, forbidden, noAnswer, successFalse, unreadable } = FAULTS;

describe("one instance is there: what was destroyed, and what may still bill, where", () => {
  beforeEach(() => put(7));

  const notAtAll = () => [service.always("destroy", successFalse), service.always("list", down)];
  const refused = () => [service.next("destroy", forbidden, forbidden), clock.at(2000, gone)];

  test.each<[string, () => unknown, number[], unknown[]]>([
    ["it had given itself back", gone, [], []],
    ["two lists show it after its end", () => [gone(), service.next("list", [ours(7)], [ours(7)])], [], []],
    ["the list never shows it", () => service.always("list", []), [7], []],
    ["no list could be read", () => service.always("list", down), [7], [MORE]],
    ["it stays, and no list could be read", notAtAll, [], ["instance 7", MORE]],
    ["the key may not, and it gave itself back", refused, [], []],
  ])("%s", async (_where, prepare, destroyed, undestroyed) => {
    prepare();
    expect(await destroying(KNOWN)).toMatchObject({ destroyed, undestroyed });
  });

  test.each<[string, () => unknown, number[], unknown[]]>([
    ["no list could be read", () => service.always("list", down), [], [MORE]],
    ["a list can be read again", () => service.next("list", down, unreadable), [7], []],
  ])("nothing is known, and %s", async (_where, prepare, destroyed, undestroyed) => {
    prepare();
    expect(await destroying()).toMatchObject({ destroyed, undestroyed });
  });

  test("it looks until a look finds none: as soon as what it found is destroyed", async () => {
    service.next("destroy", down);
    await destroying();
    expect(times("list")).toEqual([0, 0, 3]);
  });

  test("one that is listed again after it counted as gone is asked for again", async () => {
    // Another server of the service answers, and knows nothing of it yet.
    service.next("destroy", "asked");
    service.next("get", "gone");
    expect(await destroying(KNOWN)).toMatchObject({ destroyed: [7], undestroyed: [] });
    // A list may be late by 5 s.
    expect(times("destroy")).toEqual([0, 6]);
    expect(clock.elapsed).toBe(6000);
  });

  test("a stubborn one is asked for to the end, and does not keep the looks at the list waiting", async () => {
    service.always("destroy", forbidden);
    expect((await destroying(KNOWN)).undestroyed).toEqual(["instance 7"]);
    expect(times("destroy").at(-1)).toBe(210);
    expect(times("list")).toContain(15);
  });
});

test("what is still listed after its end is asked for and looked at again after a pause, and said once", async () => {
  service.always("list", [ours(7)]);
  clock.at(12_000, () => service.always("list", []));
  await destroying(KNOWN);
  expect(times("list")).toEqual([0, 3, 6, 6, 9, 12]);
  expect(log.lines).toEqual(["Instance 7 was gone already."]);
});

test("each of sixteen is asked for in order and looked at once, and one list shows that nothing is left", async () => {
  const ids = Array.from({ length: 16 }, (_, index) => 700 + index);
  put(...ids);
  expect(await destroying({ known: ids })).toMatchObject({ destroyed: ids, undestroyed: [] });
  expect(asked()).toEqual(ids.map((id) => `${id} at 0`));
  expect([service.of("get").length, service.of("list").length]).toEqual([16, 1]);
});

test("what was asked for and is no longer listed is only looked at; what is listed is asked for again", async () => {
  put(7, 8);
  service.next("destroy", noAnswer, noAnswer);
  clock.at(1000, () => service.instances.delete(7));
  // So that the list is not older than that.
  service.next("list", async () => {
    await clock.sleep(2000);
    return [ours(8, 8)];
  });
  expect(await destroying({ known: [7, 8] })).toMatchObject({ destroyed: [7, 8], undestroyed: [] });
  expect(service.of("destroy").map(({ id }) => id)).toEqual([7, 8, 8]);
});

describe("after an uncertain create", () => {
  test.each([32_000, 39_000])("an instance that turns up after %i ms is destroyed", async (ms) => {
    clock.at(ms, () => put(7));
    expect(await destroying({ isUncertain: true })).toMatchObject({ destroyed: [7], undestroyed: [] });
    expect(clock.elapsed).toBe(40_000);
  });

  test("it is looked for at 0, 2, 5, 10, 20 and 40 s; without one, a single clean look is enough", async () => {
    await destroying({ isUncertain: true });
    await destroying();
    expect(times("list")).toEqual([0, 2, 5, 10, 20, 40, 40]);
  });
});

test("a bug is logged and does not hide what may still bill; while a list is read it is no fault of the service", async () => {
  put(7, 8);
  service.always("destroy", new TypeError("a bug"));
  expect((await destroying({ known: [7, 8] })).undestroyed).toEqual(["instance 7", "instance 8"]);
  expect(log.warnings.join("\n")).toContain("a bug");
  service.always("list", new TypeError("another bug"));
  await expect(destroying()).rejects.toThrow("another bug");
});

test("one that is kept for a moment is destroyed after it, the others at once, and all are seen to be gone", async () => {
  put(7, 8);
  const mayGo = (id: number) => id !== 7 || clock.elapsed >= 29_000;
  expect(await destroying({ known: [7, 8], mayGo })).toMatchObject({ destroyed: [7, 8], undestroyed: [] });
  expect(asked()).toEqual(["8 at 0", "7 at 30"]);
});

test("without a time, one round is made, and what is kept is named", async () => {
  put(7, 8);
  const used = await destroying({ known: [7, 8], mayGo: (id) => id !== 7, withinMs: 0 });
  expect(used).toMatchObject({ destroyed: [8], undestroyed: ["instance 7"] });
  expect(clock.elapsed).toBe(0);
});

test("an abort ends it with what was done so far", async () => {
  put(7, 8);
  service.next("get", "gone", ours(8, 8));
  service.always("destroy", "asked");
  const stop = new AbortController();
  clock.at(1000, () => stop.abort(new Error("time over")));
  const used = await destroying({ known: [7, 8], isOnlyKnown: true, signal: stop.signal });
  expect(used).toMatchObject({ destroyed: [7], undestroyed: ["instance 8"] });
});

/** What main wrote down of its machines, by their numbers. */
interface Notes {
  /** Those whose creates were announced: the first two. */
  pending?: number[];
  created?: Record<number, number | "none">;
  reports?: Record<number, object>;
  claimed?: number[];
}

const byNumber = (given: object) => new Map(Object.entries(given).map(([n, value]) => [Number(n), value]));

function remains({ pending = [1, 2], created = {}, reports = {}, claimed = [] }: Notes) {
  const notes = { created: byNumber(created), reports: byNumber(reports), claimed } as Partial<Ledger>;
  return remainsOf(aLedger({ pending: new Map(pending.map((n) => [n, `any.${n}`])), ...notes }));
}

const BOTH = { 1: 701, 2: 702 };
const at = { created: 5 };
const listed = { at, isListed: true };
const LACKED = { at: { created: 5, gone: 9 } };
const ONE = { pending: [1] };
const TWO = { pending: [2] };
const unseen = (id: number) => ({ id, createdAt: undefined });
const seen = (id: number) => ({ id, createdAt: 5 });
const CLAIM = { ...unseen(701), wasListed: true, isClaimed: true };
const LISTED = { ...seen(701), wasListed: true };
const TWINS = { 1: { instanceId: 701, at }, 1001: { instanceId: 703, at } };
const GONE = { instanceId: 701, isGone: true, at: {} };

test("without a create that was announced there is nothing to look for", () => {
  expect(remains({ pending: [] })).toBeUndefined();
  expect(remainsOf(aLedger({ prefix: undefined, pending: new Map([[1, "any"]]) }))).toBeUndefined();
});

test.each<[string, Notes, object[], boolean]>([
  ["not what main saw go", { created: BOTH, reports: { 1: { at, isGone: true } } }, [unseen(702)], false],
  ["lacked by one list", { ...TWO, created: { 2: 702 }, reports: { 2: LACKED } }, [seen(702)], false],
  ["nothing of a create without an outcome", { created: { 1: "none" } }, [], true],
  ["nothing of creates that were surely refused", { created: { 1: "none", 2: "none" } }, [], false],
  // That there is none counts at once, however young it is.
  ["one that was listed", { ...ONE, created: { 1: 701 }, reports: { 1: listed } }, [LISTED], false],
  ["one that only lists showed", { ...ONE, reports: { 1: { instanceId: 701, ...listed } } }, [LISTED], true],
  ["one refused", { ...TWO, created: { 2: "none" }, reports: { 2: { instanceId: 702, at } } }, [seen(702)], false],
  ["the second one of a create", { created: { 2: 702 }, reports: TWINS }, [seen(701), unseen(702), seen(703)], true],
  ["one that only a label can prove comes last", { created: BOTH, claimed: [701] }, [unseen(702), CLAIM], true],
  ["… until it is gone", { created: BOTH, claimed: [701], reports: { 1: GONE } }, [unseen(702)], false],
])("it knows %s", (_which, given, known, isUncertain) => {
  expect(remains(given)).toEqual({ prefix: "ghr1.1.2-1.abcdef", known, isUncertain });
});

type Session = Parameters<typeof removeRunners>[0];

/** Machine 2 is gone, and the create of 3 made none. */
const ENDED = { created: new Map([[3, "none" as const]]), reports: new Map([[2, { isGone: true }]]) };

interface Away {
  /** What GitHub is away for. */
  bad?: (number | "list")[];
  badLists?: number;
  /** Runners of machines that are over. */
  ended?: Record<number, number[]>;
}

function removing(runners: object, runnerIds: object, until = Number.POSITIVE_INFINITY): Promise<void> {
  const session = { runners, log, clock, runnerNamePrefix: "gpu-1-1-abcdef" } as unknown as Session;
  const ledger = aLedger({ ...(ENDED as object), runners: byNumber(runnerIds) });
  return clock.run(removeRunners(session, ledger, until));
}

/** The removals asked for, of machine 1 with these runners; the list shows one more. */
async function removed(ids: number[], { bad = [], badLists = Number.POSITIVE_INFINITY, ended = {} }: Away = {}) {
  const asked: number[] = [];
  let lists = 0;
  const fail = (what: number | "list") => {
    if (bad.includes(what)) throw new GithubUnavailableError(`remove ${what}`, "it was away");
  };
  const find = async (isOurs: (runner: object) => boolean) => {
    lists += 1;
    if (lists <= badLists) fail("list");
    const listed = { id: 99, name: "gpu-1-1-abcdef-9" };
    return [listed, { id: 98, name: "gpu-1-1-abcdefg-9" }].filter(isOurs);
  };
  const remove = async (id: number) => {
    asked.push(id);
    fail(id);
    return "removed";
  };
  await removing({ find, remove }, { 1: ids, ...ended });
  return asked;
}

const OVER = { 2: [31, 99, 32], 3: [41] };
const ALL = ["list", 21, 22, 23, 24] as const;

test.each<[string, number[], Away, number[]]>([
  ["those that were written down, and those that only the list shows", [21, 22], {}, [21, 22, 99]],
  ["those that were written down, where the list can't be read", [21, 22], { bad: ["list"] }, [21, 22]],
  ["of hundreds of machines that are gone only those that are listed", [21], { ended: OVER }, [21, 99]],
  ["… and all, where no list can be read", [21], { bad: ["list"], ended: OVER }, [21, 31, 99, 32, 41]],
  ["the others of one that can't be removed", [21, 22], { bad: [21] }, [21, 22, 99]],
  ["none while GitHub is away: post has other things to do in its time", [21, 22, 23, 24], { bad: [...ALL] }, [21]],
])("it removes %s", async (_which, ids, given, asked) => {
  expect(await removed(ids, given)).toEqual(asked);
});

test("what can't be removed is warned of, and once alone while GitHub is away", async () => {
  await removed([21, 22], { bad: [21] });
  expect(log.warnings).toEqual([expect.stringContaining("remove 21 (it was away)")]);
  await removed([21, 22, 23, 24], { bad: [...ALL] });
  expect(log.warnings).toHaveLength(2);
});

test("asks for no list after post's own end: service and GitHub may both be away", async () => {
  const until = clock.start + 250_000;
  const asked: number[] = [];
  const find = async () => {
    asked.push(clock.elapsed / 1000);
    // As the client: 20 s for an answer, none after the end.
    await clock.sleep(Math.min(20_000, until - clock.now()));
    throw new GithubUnavailableError("list the runners", "no answer");
  };
  // Destroying took all the time that it may take.
  await clock.advance(210_000);
  await removing({ find }, {}, until);
  expect(asked).toEqual([210, 232]);
  expect(clock.now()).toBeLessThanOrEqual(until);
  expect(log.warnings).toEqual([expect.stringContaining("A runner registration may be left over")]);
});
