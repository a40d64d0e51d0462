import { describe, expect, test } from "vitest";
import type { Label } from "../../../src/machine/label.ts";
import {
  type AttemptState,
  attemptsToAsk,
  judgeLeftover,
  type LeftoverVerdict,
  ownedInstances,
} from "../../../src/release/leftovers.ts";
import { aLabel, labelText, SWEEPER } from "../support/a-leftover.ts";
import { anInstance } from "../support/an-instance.ts";

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
  test.each(TABLE)("%s", (_what, label, state, expected) => {
    expect(
      judgeLeftover(aLabel(label), { sweeper: SWEEPER, state, now: NOW, aheadMs: undefined, begun: NOW }).kind,
    ).toBe(expected);
  });

  test.each([
    ["three hours ahead of the service: not yet", -3 * HOUR, { expiry: NOW - 3 * HOUR + 1000 }, "leave"],
    ["three hours ahead, and it is over there, too", -3 * HOUR, { expiry: NOW - 3 * HOUR }, "destroy"],
    ["three hours behind: over there", 3 * HOUR, { expiry: NOW + 3 * HOUR }, "destroy"],
  ])("labels expire by the service's clock. Ours is %s", (_what, aheadMs, label, expected) => {
    const evidence = { sweeper: SWEEPER, state: UNKNOWN, now: NOW, aheadMs, begun: NOW };
    expect(judgeLeftover(aLabel(label), evidence).kind).toBe(expected);
  });

  test("what waits says until when: 60 s after the end, or after the sweep began where that end is not known", () => {
    const evidence = { sweeper: SWEEPER, now: NOW, aheadMs: undefined, begun: NOW - 5000 };
    expect(judgeLeftover(aLabel(ALIVE), { ...evidence, state: completedFor(20) })).toMatchObject({
      until: NOW + 40_000,
    });
    const earlier = aLabel({ ...ALIVE, runId: 9000, attempt: 1 });
    expect(judgeLeftover(earlier, { ...evidence, state: UNKNOWN })).toMatchObject({ until: NOW + 55_000 });
    expect(judgeLeftover(earlier, { ...evidence, now: NOW + 55_000, state: UNKNOWN }).kind).toBe("destroy");
  });

  test("an expiry that is no date is not a crash", () => {
    const label = aLabel({ expiry: Number.MAX_SAFE_INTEGER });
    const verdict = judgeLeftover(label, {
      sweeper: SWEEPER,
      state: UNKNOWN,
      now: NOW,
      aheadMs: undefined,
      begun: NOW,
    });
    expect(verdict).toMatchObject({ kind: "leave", why: expect.stringContaining("an unknown time") });
  });
});

describe("whose an instance is", () => {
  const owned = (...labels: (string | null | undefined)[]) =>
    ownedInstances(
      labels.map((label, index) => anInstance({ id: 100 - index, label })),
      SWEEPER,
    ).map(({ id }) => id);

  test("ours by server and repository, the oldest first", () => {
    expect(owned(labelText(), labelText({ runId: 9000, attempt: 2 }))).toEqual([99, 100]);
  });

  test("on a company's server only what has its letters", () => {
    const instances = [labelText(), labelText({ server: "abcd" })].map((label, index) =>
      anInstance({ id: index + 1, label }),
    );
    expect(ownedInstances(instances, { ...SWEEPER, server: "abcd" }).map(({ id }) => id)).toEqual([2]);
  });

  test("what the service shows of age and price, where it does", () => {
    const shown = { id: 1, label: labelText(), start_date: 1_760_000_000.5, dph_total: 0.31 };
    const [known, unknown] = ownedInstances(
      [shown, { id: 2, label: labelText(), start_date: null }].map((each) => anInstance(each)),
      SWEEPER,
    );
    expect(known).toMatchObject({ startedAt: 1_760_000_000_500, usdPerHour: 0.31 });
    expect(unknown).toMatchObject({ startedAt: undefined, usdPerHour: undefined });
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
  const owned = labels.map((label, id) => ({
    id,
    label: aLabel(label),
    startedAt: undefined,
    usdPerHour: undefined,
  }));
  expect(attemptsToAsk(owned, SWEEPER, NOW).map(({ runId, attempt }) => [runId, attempt])).toEqual([
    [1, 1],
    [1, 2],
    [9000, 1],
  ]);
});
