import { describe, expect, test } from "vitest";
import { decideWhileRented, type WhileRented } from "../../../src/fleet/decide-while-rented.ts";
import { isLight } from "../../../src/fleet/decision.ts";
import { combinations } from "../support/combinations.ts";
import { someCounts } from "../support/some-counts.ts";

const MINUTE = 60_000;

function facts(given: Partial<WhileRented>): WhileRented {
  return {
    hold: "auto",
    jobs: someCounts(),
    machine: "alive",
    goneMs: 0,
    idleMs: 0,
    idleTimeoutMs: 5 * MINUTE,
    lifetimeLeftMs: 90 * MINUTE,
    ...given,
  };
}

/** The table of docs/holding.md, row by row: the column "rented". */
describe.each(["auto", "true"] as const)("rented, hold: %s", (hold) => {
  const decide = (given: Partial<WhileRented>) => decideWhileRented(facts({ hold, ...given }));

  test("one waits: holds", () => {
    expect(decide({ jobs: someCounts({ waiting: 1 }) })).toEqual({ do: "hold" });
  });

  test("one runs on ours: holds, however long nobody else came", () => {
    expect(decide({ jobs: someCounts({ running: 1 }), idleMs: 60 * MINUTE })).toEqual({ do: "hold" });
  });

  test("none; other jobs open: waits", () => {
    expect(decide({ jobs: someCounts({ open: 1 }), idleMs: 5 * MINUTE - 1 })).toEqual({ do: "hold" });
  });

  test("none; other jobs open: at most idle-timeout, then deletes its runner and fails", () => {
    expect(decide({ jobs: someCounts({ open: 1 }), idleMs: 5 * MINUTE })).toMatchObject({
      do: "give-up-idle",
      why: expect.stringContaining("idle-timeout (5m)"),
      hint: expect.stringContaining("same `needs:` as the GPU job"),
    });
  });

  test("none; every other job completed: ends with a warning", () => {
    expect(decide({ jobs: someCounts({ othersCompleted: 1 }) })).toMatchObject({
      do: "end",
      warning: expect.stringContaining("skipped"),
      grave: true,
    });
  });

  test.each(["success", "skipped", "neutral"])(
    "as many completed as runners, none waiting: ends (%s)",
    (conclusion) => {
      expect(decide({ jobs: someCounts({ completed: [conclusion], open: 1 }) })).toEqual({
        do: "end-with-job",
        bad: [],
      });
    },
  );

  test.each(["failure", "timed_out", "cancelled", "action_required", "unknown"])(
    "as many completed as runners, none waiting: ends, and fails with the job (%s)",
    (conclusion) => {
      expect(decide({ jobs: someCounts({ completed: [conclusion] }) })).toEqual({
        do: "end-with-job",
        bad: [conclusion],
      });
    },
  );

  test("more waiting than runners left, none in progress on ours: fails with that sentence", () => {
    expect(decide({ jobs: someCounts({ waiting: 2 }) })).toMatchObject({
      do: "fail",
      why: expect.stringContaining("2 jobs ask for 1 runner."),
      grave: true,
    });
  });

  test("one done and one waiting, too: fails with that sentence", () => {
    expect(decide({ jobs: someCounts({ waiting: 1, completed: ["success"] }) })).toMatchObject({
      do: "fail",
      why: expect.stringContaining("2 jobs ask for 1 runner."),
      grave: true,
    });
  });

  test("more waiting than runners left, one in progress on ours: warns, and takes nothing away", () => {
    expect(decide({ jobs: someCounts({ waiting: 1, running: 1 }) })).toMatchObject({
      do: "hold",
      warning: expect.stringContaining("2 jobs ask for 1 runner."),
    });
  });

  test("one waits, and asks for more labels than the machine's runner has: fails, and names them", () => {
    expect(decide({ jobs: someCounts({ waiting: 1, foreignLabels: ["self-hosted"] }) })).toMatchObject({
      do: "fail",
      why: expect.stringContaining("labels self-hosted, which"),
      grave: true,
    });
  });

  test("the same beside a job that runs on ours: nothing is taken away", () => {
    expect(decide({ jobs: someCounts({ waiting: 1, running: 1, foreignLabels: ["self-hosted"] }) })).toMatchObject({
      do: "hold",
    });
  });

  test("machine gone, job seen as completed on our runner: ends; the machine gave itself back", () => {
    expect(decide({ machine: "gone", goneMs: 500_000, jobs: someCounts({ completed: ["success"] }) })).toEqual({
      do: "end-with-job",
      bad: [],
    });
  });

  test("machine gone, job in progress: holds for 60 s", () => {
    expect(decide({ machine: "gone", goneMs: 59_999, jobs: someCounts({ running: 1 }) })).toEqual({ do: "hold" });
  });

  test("machine gone, job in progress for 60 s more: fails, lost", () => {
    const jobs = someCounts({ running: 1, url: "https://job/2" });
    expect(decide({ machine: "gone", goneMs: 60_000, jobs })).toMatchObject({
      do: "fail",
      why: expect.stringMatching(/lost .*\(https:\/\/job\/2\)/),
      grave: true,
    });
  });

  test("machine outbid under its job: told by that word", () => {
    const jobs = someCounts({ running: 1 });
    const why = expect.stringMatching(/outbid while the GPU job ran on it/);
    expect(decide({ machine: "gone", goneMs: 60_000, isOutbid: true, jobs })).toMatchObject({ do: "fail", why });
  });

  test("machine gone, job in progress and another waiting: lost all the same", () => {
    const jobs = someCounts({ running: 1, waiting: 1 });
    expect(decide({ machine: "gone", goneMs: 59_999, jobs })).toEqual({ do: "hold" });
    expect(decide({ machine: "gone", goneMs: 60_000, jobs })).toMatchObject({ do: "fail" });
  });

  test("runner dropped, job in progress: the runner is taken off the list when its job ends; holds", () => {
    expect(decide({ machine: "dropped", goneMs: 500_000, jobs: someCounts({ running: 1 }) })).toEqual({ do: "hold" });
  });

  test.each(["gone", "dropped"] as const)("machine or runner %s, job waiting: rents again", (machine) => {
    expect(decide({ machine, goneMs: 0, jobs: someCounts({ waiting: 1 }) })).toEqual({ do: "rent-again", grave: true });
  });

  test.each(["gone", "dropped"] as const)(
    "machine or runner %s, two jobs waiting: fails with that sentence",
    (machine) => {
      expect(decide({ machine, jobs: someCounts({ waiting: 2 }) })).toMatchObject({
        do: "fail",
        why: expect.stringContaining("2 jobs ask for 1 runner."),
      });
    },
  );

  test.each(["gone", "dropped"] as const)(
    "machine or runner %s, none of ours: destroys it, then as if nothing were rented",
    (machine) => {
      expect(decide({ machine, jobs: someCounts({ open: 1 }) })).toEqual({ do: "drop-machine", grave: true });
      expect(decide({ machine, jobs: someCounts({ othersCompleted: 1 }) })).toEqual({
        do: "drop-machine",
        grave: true,
      });
      expect(decide({ machine, jobs: someCounts() })).toEqual({ do: "drop-machine", grave: true });
    },
  );
});

describe("none; no other job at all", () => {
  test("auto: returns; later steps of this job use the machine", () => {
    expect(decideWhileRented(facts({}))).toEqual({ do: "return" });
  });

  test("true: there is nobody to hold it for; ends with a warning", () => {
    expect(decideWhileRented(facts({ hold: "true" }))).toMatchObject({ do: "end", grave: true });
  });
});

describe("max-lifetime is over", () => {
  test.each([
    ["a job runs on it", someCounts({ running: 1 })],
    ["a job waits", someCounts({ waiting: 1 })],
    ["other jobs are open", someCounts({ open: 1 })],
    ["the list could not be read", undefined],
  ])("fails while %s", (_state, jobs) => {
    expect(decideWhileRented(facts({ jobs, lifetimeLeftMs: 0 }))).toMatchObject({
      do: "fail",
      why: expect.stringContaining("max-lifetime"),
    });
  });

  test("and it was max-cost that set its end: names it, and how to have more", () => {
    expect(
      decideWhileRented(facts({ jobs: someCounts({ running: 1 }), lifetimeLeftMs: 0, cutBy: "max-cost" })),
    ).toMatchObject({
      do: "fail",
      why: expect.stringMatching(/^max-cost is used up/),
      hint: expect.stringContaining("Raise max-cost"),
    });
  });

  test.each(["gone", "dropped"] as const)(
    "the machine is %s, as it gives itself back then: that is no loss",
    (machine) => {
      const jobs = someCounts({ running: 1 });
      expect(decideWhileRented(facts({ jobs, machine, goneMs: MINUTE, lifetimeLeftMs: 0 }))).toMatchObject({
        do: "fail",
        why: expect.stringContaining("max-lifetime"),
      });
    },
  );

  test("a job that is over is over: ends with it", () => {
    const jobs = someCounts({ completed: ["success"] });
    expect(decideWhileRented(facts({ jobs, lifetimeLeftMs: -1 }))).toMatchObject({ do: "end-with-job", bad: [] });
  });
});

describe("the list could not be read: a doubt is never evidence", () => {
  test.each(["alive", "dropped"] as const)("holds while the machine is %s, however long", (machine) => {
    const doubt = facts({ jobs: undefined, machine, goneMs: 60 * MINUTE, idleMs: 60 * MINUTE });
    expect(decideWhileRented(doubt)).toEqual({ do: "hold" });
  });

  test("holds for 15 minutes when the machine is gone; after that there is nothing to wait for", () => {
    const doubt = facts({ jobs: undefined, machine: "gone", goneMs: 15 * MINUTE - 1 });
    expect(decideWhileRented(doubt)).toEqual({ do: "hold" });
    expect(decideWhileRented({ ...doubt, goneMs: 15 * MINUTE })).toMatchObject({
      do: "fail",
      why: expect.stringContaining("could not be read for 15 minutes"),
    });
  });

  test.each(["alive", "gone", "dropped"] as const)("not for ever: fails when max-lifetime is over (%s)", (machine) => {
    expect(decideWhileRented(facts({ jobs: undefined, machine, lifetimeLeftMs: 0 }))).toMatchObject({ do: "fail" });
  });
});

/** Every combination of small counts, machine states, times and inputs. */
const EVERYTHING = combinations({
  waiting: [0, 1, 2],
  running: [0, 1, 2],
  completed: [[], ["success"], ["failure"], ["success", "cancelled"]],
  open: [0, 1, 2],
  othersCompleted: [0, 1],
  machine: ["alive", "gone", "dropped"],
  hold: ["auto", "true"],
  goneMs: [0, MINUTE],
  idleMs: [0, 5 * MINUTE],
  lifetimeLeftMs: [1, 0],
} as const).map(
  ({ waiting, running, completed, open, othersCompleted, ...rest }): WhileRented => ({
    ...rest,
    idleTimeoutMs: 5 * MINUTE,
    jobs: someCounts({ waiting, running, completed, open, othersCompleted }),
  }),
);

describe("whatever the counts are", () => {
  const all = EVERYTHING.map((given) => {
    const { waiting = 0, running = 0, completed = [] } = given.jobs ?? {};
    return { given, waiting, running, completed, decision: decideWhileRented(given) };
  });

  test("never rents beside what is rented: only these come out", () => {
    expect(new Set(all.map(({ decision }) => decision.do))).toEqual(
      new Set(["hold", "return", "end", "end-with-job", "fail", "give-up-idle", "rent-again", "drop-machine"]),
    );
  });

  test("a machine with a job running on it is held, until it is lost for a minute or its lifetime is over", () => {
    for (const { given, running, decision } of all) {
      if (running === 0 || decision.do === "hold") continue;
      const isLost = given.machine === "gone" && given.goneMs >= MINUTE;
      const isOutOfTime = given.lifetimeLeftMs <= 0;
      expect({ given, decision: decision.do, isRight: isLost || isOutOfTime }).toMatchObject({
        decision: "fail",
        isRight: true,
      });
    }
  });

  test("rents again only for one waiting job that is alone in asking, and only when the machine is gone or dropped", () => {
    for (const { given, waiting, running, completed, decision } of all)
      if (decision.do === "rent-again") {
        expect(given.machine).not.toBe("alive");
        expect([waiting, running, completed.length]).toEqual([1, 0, 0]);
      }
  });

  test("a machine that lives is given up only when nobody of ours is there, or its time is over", () => {
    for (const { given, waiting, running, completed, decision } of all) {
      if (given.machine !== "alive" || given.lifetimeLeftMs <= 0) continue;
      if (decision.do === "give-up-idle" || decision.do === "end" || decision.do === "return")
        expect([waiting, running, completed.length]).toEqual([0, 0, 0]);
    }
  });

  test("the first waiting job is never given up for: it is held for, or rented for again", () => {
    for (const { given, waiting, running, completed, decision } of all)
      if (waiting === 1 && running === 0 && completed.length === 0 && given.lifetimeLeftMs > 0)
        expect(decision.do).toBe(given.machine === "alive" ? "hold" : "rent-again");
  });

  test("ends with the job only when it is over and nobody else asks; every bad conclusion is told", () => {
    for (const { waiting, running, completed, decision } of all)
      if (decision.do === "end-with-job") {
        expect([waiting, running]).toEqual([0, 0]);
        expect(decision.bad).toEqual(completed.filter((conclusion) => conclusion !== "success"));
      }
  });

  test("what costs a machine or a job needs two looks", () => {
    for (const { decision } of all) {
      if (decision.do === "rent-again" || decision.do === "drop-machine" || decision.do === "end")
        expect(isLight(decision)).toBe(false);
      if (decision.do === "fail") expect(isLight(decision)).toBe(decision.why.includes("max-lifetime"));
    }
  });

  test("an unknown list never leads to anything but holding, or failing when max-lifetime is over", () => {
    for (const { given } of all) {
      const { do: done } = decideWhileRented({ ...given, jobs: undefined });
      expect(done).toBe(given.lifetimeLeftMs > 0 ? "hold" : "fail");
    }
  });

  test("every failure says why and what to do", () => {
    for (const { decision } of all)
      if (decision.do === "fail" || decision.do === "give-up-idle") {
        expect(decision.why).toMatch(/\.$/);
        expect(decision.hint).toMatch(/\.$/);
      }
  });
});
