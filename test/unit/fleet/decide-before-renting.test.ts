import { describe, expect, test } from "vitest";
import { type BeforeRenting, decideBeforeRenting } from "../../../src/fleet/decide-before-renting.ts";
import { isLight } from "../../../src/fleet/decision.ts";
import { combinations } from "../support/combinations.ts";
import { someCounts } from "../support/some-counts.ts";

const MINUTE = 60_000;

function facts(given: Partial<BeforeRenting>): BeforeRenting {
  return { hold: "auto", jobs: someCounts(), waitedMs: 0, waitForJobMs: 30 * MINUTE, ...given };
}

/** The table of docs/holding.md, row by row: the column "nothing rented yet". */
describe.each(["auto", "true"] as const)("nothing rented yet, hold: %s", (hold) => {
  const decide = (given: Partial<BeforeRenting>) => decideBeforeRenting(facts({ hold, ...given }));

  test("one waits: rents", () => {
    expect(decide({ jobs: someCounts({ waiting: 1 }) })).toEqual({ do: "rent" });
  });

  test("one waits beside other jobs, open or over: rents", () => {
    expect(decide({ jobs: someCounts({ waiting: 1, open: 2, othersCompleted: 1 }) })).toEqual({ do: "rent" });
  });

  test("one waits when wait-for-job has run out: rents", () => {
    expect(decide({ jobs: someCounts({ waiting: 1 }), waitedMs: 31 * MINUTE })).toEqual({ do: "rent" });
  });

  test("none; other jobs open: waits without renting", () => {
    expect(decide({ jobs: someCounts({ open: 1 }), waitedMs: 30 * MINUTE - 1 })).toEqual({ do: "wait" });
  });

  test("none; other jobs open: at most wait-for-job, then fails", () => {
    expect(decide({ jobs: someCounts({ open: 1 }), waitedMs: 30 * MINUTE })).toMatchObject({
      do: "fail",
      why: expect.stringContaining("wait-for-job (30m)"),
      hint: expect.stringContaining("same `needs:` as the GPU job"),
    });
  });

  test("none; other jobs open, wait-for-job 0s: rents at once", () => {
    expect(decide({ jobs: someCounts({ open: 1 }), waitForJobMs: 0 })).toEqual({ do: "rent" });
  });

  test("none; every other job completed: ends with a warning", () => {
    expect(decide({ jobs: someCounts({ othersCompleted: 2 }) })).toMatchObject({ do: "end", grave: true });
  });

  test("none; every other job completed, wait-for-job 0s: nothing is rented for nobody", () => {
    expect(decide({ jobs: someCounts({ othersCompleted: 2 }), waitForJobMs: 0 })).toMatchObject({ do: "end" });
  });

  test.each(["success", "failure", "cancelled"])(
    "as many completed as runners (%s), none waiting: ends with a warning",
    (c) => {
      const over = someCounts({ completed: [c], open: 1 });
      expect(decide({ jobs: over })).toMatchObject({ do: "end", warning: expect.stringContaining("already over") });
    },
  );

  test("more waiting than runners left, none in progress on ours: fails", () => {
    expect(decide({ jobs: someCounts({ waiting: 2 }) })).toMatchObject({
      do: "fail",
      why: expect.stringContaining("2 jobs ask for 1 runner."),
      grave: true,
    });
  });

  test("one done and one waiting, too: fails", () => {
    expect(decide({ jobs: someCounts({ waiting: 1, completed: ["success"] }) })).toMatchObject({
      do: "fail",
      why: expect.stringContaining("2 jobs ask for 1 runner."),
    });
  });

  test("a job in progress on ours: waits for its end, whoever waits beside it", () => {
    expect(decide({ jobs: someCounts({ running: 1 }) })).toEqual({ do: "wait" });
    expect(decide({ jobs: someCounts({ running: 1, waiting: 1 }) })).toEqual({ do: "wait" });
  });

  test("a job in progress on ours: at most wait-for-job, then fails", () => {
    const late = { waitedMs: 30 * MINUTE };
    expect(decide({ jobs: someCounts({ running: 1 }), ...late })).toMatchObject({ do: "fail" });
    expect(decide({ jobs: someCounts({ running: 1, waiting: 1 }), ...late })).toMatchObject({
      do: "fail",
      why: expect.stringContaining("2 jobs ask for 1 runner."),
    });
  });

  test("one waits, and asks for more labels than the machine's runner has: fails, and names them", () => {
    expect(decide({ jobs: someCounts({ waiting: 1, foreignLabels: ["self-hosted"] }) })).toMatchObject({
      do: "fail",
      why: expect.stringContaining("labels self-hosted, which"),
      hint: expect.stringContaining("runs-on"),
      grave: true,
    });
  });
});

describe("none; no other job at all", () => {
  test("auto: rents", () => {
    expect(decideBeforeRenting(facts({}))).toEqual({ do: "rent" });
  });

  test("true: there is nobody to hold it for; ends with a warning", () => {
    expect(decideBeforeRenting(facts({ hold: "true" }))).toMatchObject({ do: "end", grave: true });
  });
});

describe("the list could not be read", () => {
  test.each(["auto", "true"] as const)("hold: %s waits, renting nothing", (hold) => {
    expect(decideBeforeRenting(facts({ hold, jobs: undefined, waitedMs: 29 * MINUTE }))).toEqual({ do: "wait" });
  });

  test("fails when wait-for-job is over, and does not say more than is known", () => {
    const decision = decideBeforeRenting(facts({ jobs: undefined, waitedMs: 30 * MINUTE }));
    expect(decision).toMatchObject({ do: "fail", why: expect.stringContaining("could not be read") });
    // It may have been read all the time until now.
    expect(decision).not.toMatchObject({ why: expect.stringContaining("for 30m") });
  });

  test("one doubt does not fail a job that waits for nobody (wait-for-job 0s)", () => {
    expect(decideBeforeRenting(facts({ jobs: undefined, waitForJobMs: 0 }))).toEqual({ do: "wait" });
    expect(decideBeforeRenting(facts({ jobs: undefined, waitForJobMs: 0, waitedMs: 2 * MINUTE }))).toMatchObject({
      do: "fail",
    });
  });
});

/** Every combination of small counts, times and inputs. */
const EVERYTHING = combinations({
  waiting: [0, 1, 2],
  running: [0, 1, 2],
  completed: [[], ["success"], ["failure"], ["success", "cancelled"]],
  open: [0, 1, 2],
  othersCompleted: [0, 1],
  hold: ["auto", "true"],
  waitedMs: [0, MINUTE, 5 * MINUTE],
  waitForJobMs: [0, MINUTE, 30 * MINUTE],
} as const).map(
  ({ hold, waitedMs, waitForJobMs, ...counts }): BeforeRenting => ({
    hold,
    waitedMs,
    waitForJobMs,
    jobs: someCounts(counts),
  }),
);

describe("whatever the counts are", () => {
  const all = EVERYTHING.map((given) => ({ given, decision: decideBeforeRenting(given) }));
  const asked = ({ jobs }: BeforeRenting) =>
    jobs === undefined ? 0 : jobs.waiting + jobs.running + jobs.completed.length;

  test("only these come out: wait, rent, end, fail", () => {
    expect(new Set(all.map(({ decision }) => decision.do))).toEqual(new Set(["wait", "rent", "end", "fail"]));
  });

  test("rents for one waiting job that is alone in asking, for nobody at all, or because it is told not to wait", () => {
    const rents = all.filter(({ decision }) => decision.do === "rent").map(({ given }) => given);
    for (const given of rents) {
      const isWaitedFor = given.jobs?.waiting === 1 && asked(given) === 1;
      const isForOneself = given.hold === "auto" && given.jobs?.others === 0;
      const isToldTo = given.waitForJobMs === 0 && asked(given) === 0 && (given.jobs?.open ?? 0) > 0;
      expect({ given, isRight: isWaitedFor || isForOneself || isToldTo }).toMatchObject({ isRight: true });
    }
    expect(rents.length).toBeGreaterThan(50);
  });

  test("never rents when a job of ours is done or under way", () => {
    for (const { given, decision } of all)
      if ((given.jobs?.running ?? 0) + (given.jobs?.completed.length ?? 0) > 0) expect(decision.do).not.toBe("rent");
  });

  test("a single waiting job is never sent away", () => {
    for (const { given, decision } of all)
      if (given.jobs?.waiting === 1 && asked(given) === 1) expect(decision.do).toBe("rent");
  });

  test("what ends or fails because of the jobs needs two looks; only a timeout does not", () => {
    for (const { decision } of all) {
      if (decision.do === "end") expect(isLight(decision)).toBe(false);
      if (decision.do === "fail") expect(isLight(decision)).toBe(decision.why.includes("wait-for-job"));
    }
  });

  test("an unknown list never leads to anything but waiting, or failing at the limit", () => {
    for (const { given } of all) {
      const decision = decideBeforeRenting({ ...given, jobs: undefined });
      const isLate = given.waitedMs >= Math.max(given.waitForJobMs, 2 * MINUTE);
      expect(decision.do).toBe(isLate ? "fail" : "wait");
    }
  });
});
