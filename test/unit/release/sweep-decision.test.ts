import { describe, expect, test } from "vitest";
import { GithubUnavailableError } from "../../../src/github/github-errors.ts";
import type { RunAttempt } from "../../../src/github/runs.ts";
import type { Label } from "../../../src/machine/label.ts";
import {
  type AttemptState,
  attemptAsker,
  attemptsToAsk,
  judgeLeftover,
  type LeftoverVerdict,
  ownedInstances,
} from "../../../src/release/leftovers.ts";
import { aLabel, labelText, SWEEPER } from "../support/a-leftover.ts";
import { anInstance } from "../support/an-instance.ts";
import { HandWoundClock } from "../support/hand-wound-clock.ts";

const NOW = Date.UTC(2026, 0, 1);
const HOUR = 3_600_000;
const EXPIRED = { expiry: NOW };
const ALIVE = { expiry: NOW + 1000 };
const OPEN: AttemptState = { kind: "open" };
const UNKNOWN: AttemptState = { kind: "unknown", why: "GitHub could not be asked" };
const completedFor = (seconds: number): AttemptState => ({ kind: "completed", since: NOW - seconds * 1000 });

const TABLE: [string, Partial<Label>, AttemptState | undefined, LeftoverVerdict["kind"]][] = [
  ["expired, its run goes on", EXPIRED, OPEN, "destroy"],
  ["expired, nothing known", EXPIRED, UNKNOWN, "destroy"],
  ["expired, not asked", EXPIRED, undefined, "destroy"],
  ["its run goes on", ALIVE, OPEN, "leave"],
  ["nothing known", ALIVE, UNKNOWN, "leave"],
  ["not asked", ALIVE, undefined, "leave"],
  ["completed for 60 s", ALIVE, completedFor(60), "destroy"],
  ["completed for an hour", ALIVE, completedFor(3600), "destroy"],
  ["completed for 59 s", ALIVE, completedFor(59), "wait"],
  ["completed this moment", ALIVE, completedFor(0), "wait"],
  ["completed in a future that is not ours", ALIVE, completedFor(-600), "wait"],
  ["our own attempt", { ...ALIVE, runId: 9000, attempt: 2 }, OPEN, "leave"],
  ["our own attempt, expired", { ...EXPIRED, runId: 9000, attempt: 2 }, undefined, "leave"],
  ["our own attempt, said to be completed", { ...ALIVE, runId: 9000, attempt: 2 }, completedFor(3600), "leave"],
  ["an earlier attempt of our run, completed", { ...ALIVE, runId: 9000, attempt: 1 }, completedFor(60), "destroy"],
  ["an earlier attempt of our run, nothing known", { ...ALIVE, runId: 9000, attempt: 1 }, UNKNOWN, "wait"],
  ["an earlier attempt of our run, said to go on", { ...ALIVE, runId: 9000, attempt: 1 }, OPEN, "wait"],
  ["a later attempt of our run, nothing known", { ...ALIVE, runId: 9000, attempt: 3 }, UNKNOWN, "leave"],
  ["the same attempt of another run", { ...ALIVE, runId: 9001, attempt: 2 }, UNKNOWN, "leave"],
];

describe("the verdict on one instance", () => {
  const judged = (label: Partial<Label>, state: AttemptState | undefined, given: object = {}) =>
    judgeLeftover(aLabel(label), { sweeper: SWEEPER, state, now: NOW, aheadMs: undefined, begun: NOW, ...given });

  test.each(TABLE)("%s", (_what, label, state, expected) => {
    expect(judged(label, state).kind).toBe(expected);
  });

  test.each([
    ["three hours ahead of the service: not yet", -3 * HOUR, { expiry: NOW - 3 * HOUR + 1000 }, "leave"],
    ["three hours ahead, and it is over there, too", -3 * HOUR, { expiry: NOW - 3 * HOUR }, "destroy"],
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
    const labels = [labelText(), labelText({ runId: 9000, attempt: 2 }), labelText({ server: "abcd" })];
    const rows = labels.map((label, index) => ({ id: 100 - index, label }));
    expect(owned(rows).map(({ id }) => id)).toEqual([99, 100]);
    expect(owned(rows, "abcd").map(({ id }) => id)).toEqual([98]);
  });

  test("what the service shows of age and price, where it does", () => {
    const label = labelText();
    const rows = [{ id: 1, label, start_date: 1_760_000_000.5, dph_total: 0.31 }];
    expect(owned(rows)).toMatchObject([{ startedAt: 1_760_000_000_500, usdPerHour: 0.31 }]);
    expect(owned([{ id: 2, label, start_date: null }])).toMatchObject([
      { startedAt: undefined, usdPerHour: undefined },
    ]);
  });
});

test("GitHub is asked once for each attempt; not for our own, nor for what has expired", () => {
  const labels = [
    { ...ALIVE, runId: 1 },
    { ...ALIVE, runId: 1, machineNo: 2 },
    { ...ALIVE, runId: 1, attempt: 2 },
    { ...EXPIRED, runId: 2 },
    { ...ALIVE, runId: 9000, attempt: 2 },
    { ...ALIVE, runId: 9000, attempt: 1 },
  ];
  const owned = labels.map((label, id) => ({ id, label: aLabel(label), startedAt: undefined, usdPerHour: undefined }));
  const asked = attemptsToAsk(owned, SWEEPER, NOW).map(({ runId, attempt }) => `${runId}/${attempt}`);
  expect(asked).toEqual(["1/1", "1/2", "9000/1"]);
});

describe("what GitHub says of a run attempt", () => {
  const DOUBT = new GithubUnavailableError("read the runs of this repository", "502");
  const clock = new HandWoundClock();

  /** The states after two questions, and what was logged. */
  async function asked(answer: RunAttempt | Error | undefined, signal = new AbortController().signal) {
    const logged: string[] = [];
    const attempt = async () => {
      if (answer instanceof Error) throw answer;
      return answer;
    };
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
