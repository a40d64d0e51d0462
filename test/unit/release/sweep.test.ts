import { beforeEach, describe, expect, test } from "vitest";
import { GithubUnavailableError } from "../../../src/github/github-errors.ts";
import type { RunAttempt } from "../../../src/github/runs.ts";
import type { Label } from "../../../src/machine/label.ts";
import {
  type AttemptState,
  attemptAsker,
  attemptsToAsk,
  judgeLeftover,
  type LeftoverVerdict,
  type Owned,
  ownedInstances,
} from "../../../src/release/leftovers.ts";
import { aliveAfter, type Sweep, type Sweeping, sweepAll, sweepOnce } from "../../../src/release/sweep.ts";
import { aLabel, labelText, SWEEPER } from "../support/a-leftover.ts";
import { anInstance } from "../support/an-instance.ts";
import { clock, freshWorld, log, service } from "../support/fresh-world.ts";
import { HandWoundClock } from "../support/hand-wound-clock.ts";
import { FAULTS } from "../support/service-faults.ts";

freshWorld();

let states: Map<number, AttemptState | (() => AttemptState)>;
let stop: AbortController;

beforeEach(() => {
  states = new Map();
  stop = new AbortController();
});

function sweeping(given: Partial<Sweeping> = {}): Sweeping {
  return {
    service,
    clock,
    log,
    sweeper: SWEEPER,
    askAttempt: async ({ runId }) => {
      const state = states.get(runId) ?? { kind: "unknown", why: "no answer" };
      return typeof state === "function" ? state() : state;
    },
    maxDestroy: 20,
    isDryRun: false,
    signal: stop.signal,
    ...given,
  };
}

const sweepWhole = (given: Partial<Sweeping> = {}) => clock.run(sweepAll(sweeping(given)));
const fates = (sweep: Sweep) => Object.fromEntries(sweep.ours.map(({ owned, fate }) => [owned.id, fate.kind]));
const put = (...labels: string[]) => {
  for (const [index, label] of labels.entries()) service.put({ id: index + 1, label });
};
const refuses = (id: number) => {
  const usual = service.destroy.bind(service);
  service.destroy = async (asked) => (asked === id ? Promise.reject(FAULTS.forbidden) : await usual(asked));
};
const expired = () => labelText({ expiry: clock.now() - 1000 });
const completed = (): AttemptState => ({ kind: "completed", since: clock.start - 3_600_000 });

test("destroys what must go, leaves what may stay, counts what is foreign", async () => {
  put(expired(), labelText({ runId: 1 }), labelText({ runId: 2 }), "my notebook");
  states.set(1, completed()).set(2, { kind: "open" });
  const sweep = await sweepWhole();
  expect(fates(sweep)).toEqual({ 1: "destroyed", 2: "destroyed", 3: "left" });
  expect(sweep).toMatchObject({ seen: 4, foreign: 1 });
  expect([...service.instances.keys()]).toEqual([3, 4]);
  expect(aliveAfter(sweep).map(({ id }) => id)).toEqual([3]);
});

test("what has expired by our clock alone is asked about, and stays while its run goes on", async () => {
  put(labelText({ runId: 1, expiry: clock.now() - 1000 }));
  states.set(1, { kind: "open" });
  service.aheadMs = -3_600_000;
  expect((await sweepWhole()).ours).toMatchObject([{ fate: { kind: "left", why: "its run is not over" } }]);
});

test("nothing of an instance but its id, run and attempt is shown", async () => {
  service.put({ id: 1, label: expired(), message: "::error::x" });
  await sweepWhole();
  expect(log.lines).toEqual([
    expect.stringMatching(/^Leftover instance 1 \(run 4711, attempt 1\) is destroyed: its time was up at 2025-12-31T/),
  ]);
});

test("what is gone already when it is asked for had given itself back", async () => {
  service.put({ id: 1, label: expired() });
  service.next("destroy", () => (service.instances.delete(1) ? "gone" : "asked"));
  expect(fates(await sweepWhole())).toEqual({ 1: "was-gone" });
  // It was listed, so that "there is none" needs no minute to be believed.
  expect(clock.elapsed).toBe(0);
});

describe("a run that ended less than a minute ago", () => {
  beforeEach(() => {
    put(labelText({ runId: 1 }));
    states.set(1, { kind: "completed", since: clock.start - 20_000 });
  });

  test("and whose machine gave itself back meanwhile is no longer there", async () => {
    clock.at(10_000, () => service.instances.delete(1));
    expect(fates(await sweepWhole())).toEqual({});
    expect(service.of("destroy")).toEqual([]);
  });

  test("is looked at again, by a new list; nothing else waits, and what the first look did is reported", async () => {
    service.put({ id: 2, label: expired() });
    expect(fates(await sweepWhole())).toEqual({ 1: "destroyed", 2: "destroyed" });
    expect(service.of("list").map(({ at }) => at)).toEqual([0, 40]);
    expect(service.of("destroy").map(({ at, id }) => `${id} at ${at}`)).toEqual(["2 at 0", "1 at 40"]);
  });
});

test("max-destroy counts both looks: no second one where the first used it up, else when the last minute is over", async () => {
  put(labelText({ runId: 1 }), expired(), expired(), labelText({ runId: 2 }));
  states.set(1, { kind: "completed", since: clock.start }).set(2, { kind: "completed", since: clock.start - 20_000 });
  expect(fates(await sweepWhole({ maxDestroy: 1 }))).toMatchObject({ 2: "destroyed", 3: "left" });
  expect(clock.elapsed).toBe(0);
  expect(fates(await sweepWhole({ maxDestroy: 2 }))).toEqual({ 1: "destroyed", 3: "destroyed", 4: "left" });
});

test("a dry run destroys nothing, and waits for nothing", async () => {
  put(expired(), labelText({ runId: 1 }));
  states.set(1, { kind: "completed", since: clock.start - 20_000 });
  const sweep = await sweepWhole({ isDryRun: true });
  expect(fates(sweep)).toEqual({ 1: "would-go", 2: "left" });
  expect(aliveAfter(sweep)).toHaveLength(2);
  expect([service.of("destroy"), clock.elapsed]).toEqual([[], 0]);
});

test("one that is refused keeps the others from nothing, and is named with the service's reason", async () => {
  put(expired(), expired());
  refuses(1);
  const sweep = await sweepWhole();
  expect(fates(sweep)).toEqual({ 1: "refused", 2: "destroyed" });
  expect(sweep.ours[0]?.fate.why).toContain("(403)");
  expect(aliveAfter(sweep).map(({ id }) => id)).toEqual([1]);
});

test("one that is refused in the first look, and left by the second for max-destroy, is reported once", async () => {
  put(labelText({ runId: 1 }), expired());
  states.set(1, { kind: "completed", since: clock.start });
  refuses(2);
  const { ours } = await sweepWhole({ maxDestroy: 2 });
  expect(ours.map(({ owned, fate }) => `${owned.id} ${fate.kind}`)).toEqual(["2 refused", "1 destroyed"]);
});

test("a second look that fails hides nothing of the first: what could not be destroyed is reported", async () => {
  put(expired(), labelText({ runId: 1 }));
  states.set(1, { kind: "completed", since: clock.start });
  service.always("destroy", FAULTS.forbidden);
  clock.at(1000, () => service.always("list", FAULTS.down));
  const sweep = await sweepWhole();
  expect(fates(sweep)).toEqual({ 1: "refused", 2: "left" });
  expect(sweep.fault).toBe(FAULTS.down);
});

test("when its time is over it ends at once, and reports what it did not get done", async () => {
  put(expired(), expired());
  // The service never says that the second one is gone.
  service.always("destroy", "asked");
  clock.at(5000, () => stop.abort(new Error("time over")));
  const sweep = await clock.run(sweepOnce(sweeping(), await service.list(), clock.start));
  expect(fates(sweep)).toEqual({ 1: "refused", 2: "refused" });
  expect(sweep.ours[0]?.fate.why).toBe("the time for it was over");
  expect(clock.elapsed).toBe(5000);
});

const NOW = Date.UTC(2026, 0, 1);
const HOUR = 3_600_000;
const EXPIRED = { expiry: NOW };
const ALIVE = { expiry: NOW + 1000 };
const OPEN: AttemptState = { kind: "open" };
const UNKNOWN: AttemptState = { kind: "unknown", why: "GitHub could not be asked" };
const completedFor = (seconds: number): AttemptState => ({ kind: "completed", since: NOW - seconds * 1000 });

const TABLE: [string, Partial<Label>, AttemptState | undefined, LeftoverVerdict["kind"]][] = [
  ["expired, its run goes on", EXPIRED, OPEN, "destroy"],
  ["nothing known", ALIVE, UNKNOWN, "leave"],
  ["not asked", ALIVE, undefined, "leave"],
  ["completed for 60 s", ALIVE, completedFor(60), "destroy"],
  ["completed for 59 s", ALIVE, completedFor(59), "wait"],
  ["our own attempt, even expired", { ...EXPIRED, runId: 9000, attempt: 2 }, OPEN, "leave"],
  ["an earlier attempt of our run, completed", { ...ALIVE, runId: 9000, attempt: 1 }, completedFor(60), "destroy"],
  ["an earlier attempt of our run, nothing known", { ...ALIVE, runId: 9000, attempt: 1 }, UNKNOWN, "wait"],
  ["a later attempt of our run, nothing known", { ...ALIVE, runId: 9000, attempt: 3 }, UNKNOWN, "leave"],
];

describe("the verdict on one instance", () => {
  const judged = (label: Partial<Label>, state: AttemptState | undefined, given: object = {}) =>
    judgeLeftover(aLabel(label), { sweeper: SWEEPER, state, now: NOW, aheadMs: undefined, begun: NOW, ...given });

  test.each(TABLE)("%s", (_what, label, state, expected) => {
    expect(judged(label, state).kind).toBe(expected);
  });

  test.each([
    ["three hours ahead of the service: not yet", -3 * HOUR, { expiry: NOW - 3 * HOUR + 1000 }, "leave"],
    ["three hours behind: over there", 3 * HOUR, { expiry: NOW + 3 * HOUR }, "destroy"],
  ])("labels expire by the service's clock. Ours is %s", (_what, aheadMs, label, expected) => {
    expect(judged(label, UNKNOWN, { aheadMs }).kind).toBe(expected);
  });

  test("what waits says until when: 60 s after the end, or after the sweep began where that end is not known", () => {
    const begun = NOW - 5000;
    expect(judged(ALIVE, completedFor(20), { begun })).toMatchObject({ until: NOW + 40_000 });
    const earlier = { ...ALIVE, runId: 9000, attempt: 1 };
    expect(judged(earlier, UNKNOWN, { begun })).toMatchObject({ until: NOW + 55_000 });
    expect(judged(earlier, UNKNOWN, { begun, now: NOW + 55_000 }).kind).toBe("destroy");
  });

  test("an expiry that is no date is not a crash", () => {
    const why = expect.stringContaining("an unknown time");
    expect(judged({ expiry: Number.MAX_SAFE_INTEGER }, UNKNOWN)).toMatchObject({ kind: "leave", why });
  });
});

describe("whose an instance is", () => {
  const owned = (rows: object[], server = "") =>
    ownedInstances(
      rows.map((row) => anInstance({ id: 0, ...row })),
      { ...SWEEPER, server },
    );

  test("ours by server and repository, the oldest first; on a company's server only what has its letters", () => {
    const others = [labelText({ server: "abcd" }), labelText({ repositoryId: 880_002 })];
    const labels = [labelText(), labelText({ runId: 9000, attempt: 2 }), ...others];
    const rows = labels.map((label, index) => ({ id: 100 - index, label }));
    expect(owned(rows).map(({ id }) => id)).toEqual([99, 100]);
    expect(owned(rows, "abcd").map(({ id }) => id)).toEqual([98]);
  });

  test("what the service shows of age and price, where it does", () => {
    const label = labelText();
    const rows = [
      { id: 1, label, start_date: 1_760_000_000.5, dph_total: 0.31 },
      { id: 2, label },
    ];
    expect(owned(rows)).toMatchObject([{ startedAt: 1_760_000_000_500, usdPerHour: 0.31 }, { startedAt: undefined }]);
  });
});

test("GitHub is asked once for each attempt; not for our own, nor for what has expired", () => {
  const attempts = ["1/1", "1/1", "1/2", "9000/2", "9000/1"].map((each) => each.split("/").map(Number));
  const labels = attempts.map(([runId = 0, attempt = 0]) => aLabel({ ...ALIVE, runId, attempt }));
  const owned = [...labels, aLabel({ ...EXPIRED, runId: 2 })].map((label, id) => ({ id, label }) as Owned);
  const asked = attemptsToAsk(owned, SWEEPER, NOW).map(({ runId, attempt }) => `${runId}/${attempt}`);
  expect(asked).toEqual(["1/1", "1/2", "9000/1"]);
});

describe("what GitHub says of a run attempt", () => {
  const DOUBT = new GithubUnavailableError("read the runs of this repository", "502");
  const clock = new HandWoundClock();

  /** The states after two questions, and what was logged. */
  async function asked(answer: RunAttempt | Error | undefined, signal = new AbortController().signal) {
    const logged: string[] = [];
    const attempt = () => (answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer));
    const ask = attemptAsker({ attempt }, clock, (line) => logged.push(line));
    const run = { runId: 4711, attempt: 1 };
    return { states: [await ask(run, signal), await ask(run, signal)], logged };
  }

  const since = clock.start - 25_000;

  test.each<[string, RunAttempt | Error | undefined, object]>([
    ["over, by our own clock", { isCompleted: true, unchangedForMs: 25_000 }, { kind: "completed", since }],
    ["not completed", { isCompleted: false, unchangedForMs: 1e9 }, { kind: "open" }],
    ["no such run", undefined, { kind: "unknown", why: "GitHub knows no such run, or hides it from job-token" }],
  ])("%s", async (_what, answer, state) => {
    expect(await asked(answer)).toEqual({ states: [state, state], logged: [] });
  });

  test("no answer is no evidence, and is logged once with what to do", async () => {
    const unknown = { kind: "unknown", why: "GitHub could not be asked" };
    const line = expect.stringMatching(/^Which runs are over can't be seen\. .*502.*githubstatus/);
    expect(await asked(DOUBT)).toEqual({ states: [unknown, unknown], logged: [line] });
  });

  test("no time left is no evidence either, and nothing to log; a bug is not swallowed", async () => {
    const unknown = { kind: "unknown", why: "there was no time left to ask" };
    expect(await asked(DOUBT, AbortSignal.abort(DOUBT))).toEqual({ states: [unknown, unknown], logged: [] });
    await expect(asked(new TypeError("a bug"))).rejects.toThrow("a bug");
  });
});
