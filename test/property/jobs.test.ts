import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decideAfterFailure } from "../../src/fleet/decide-after-failure.ts";
import { decideBeforeRenting } from "../../src/fleet/decide-before-renting.ts";
import { decideWhileRented } from "../../src/fleet/decide-while-rented.ts";
import { type Decision, isLight } from "../../src/fleet/decision.ts";
import { jobPageSchema } from "../../src/github/job.ts";
import { countJobs, type JobCounts, type SeenJob } from "../../src/jobs/job-counts.ts";
import { TwoLooks } from "../../src/jobs/two-looks.ts";
import { stuckForMs } from "../../src/sweep/stuck-run.ts";
import { aJob, OUR_RUNNER, OWN_JOB, RUNNER_LABEL, WHOSE } from "../unit/support/a-job.ts";
import { hostileJson, hostileText } from "./support/hostile.ts";
import { isPlainLine } from "./support/readings.ts";

const status = fc.oneof(
  { arbitrary: fc.constantFrom("queued", "in_progress", "completed", "waiting", "pending", "requested"), weight: 8 },
  hostileText,
);
const label = fc.oneof(
  fc.constantFrom(RUNNER_LABEL, RUNNER_LABEL.toUpperCase(), `${RUNNER_LABEL}-x`, "ubuntu-latest"),
  hostileText,
);
const job: fc.Arbitrary<SeenJob> = fc
  .record({
    id: fc.integer({ min: 1, max: 9 }),
    name: fc.oneof(fc.constantFrom("rent", "test"), hostileText),
    status,
    conclusion: fc.option(fc.oneof(fc.constantFrom("success", "failure", "cancelled"), hostileText), {
      nil: undefined,
    }),
    labels: fc.array(label, { maxLength: 3 }),
    runnerId: fc.option(fc.constantFrom(OUR_RUNNER, 900), { nil: undefined }),
    runnerName: fc.option(fc.constantFrom("hosted-1", "hosted-7"), { nil: undefined }),
    url: fc.option(hostileText, { nil: undefined }),
  })
  .map((given) => aJob(given));
const listed = fc
  .tuple(fc.array(job, { maxLength: 6 }), fc.boolean())
  .map(([jobs, hasOwn]) => (hasOwn ? [OWN_JOB, ...jobs] : jobs));
const counts: fc.Arbitrary<JobCounts> = listed.map((jobs) => countJobs(jobs, WHOSE));
const maybeCounts = fc.option(counts, { nil: undefined });
const ms = fc.oneof(fc.constantFrom(0, 1, 15_000, 60_000, 900_000), fc.integer({ min: 0, max: 100_000_000 }));
const hold = fc.constantFrom("auto" as const, "true" as const);

test("a list of jobs that can't be read is no list: its page is refused as a whole", () => {
  fc.assert(
    fc.property(
      fc.array(hostileJson("id", "name", "status", "labels", "runner_id"), { minLength: 1, maxLength: 4 }),
      (jobs) => {
        const read = jobPageSchema.safeParse({ total_count: jobs.length, jobs }).data;
        // One that is left out could be ours, and its machine would be taken away.
        if (read !== undefined) expect(read.jobs).toHaveLength(jobs.length);
      },
    ),
  );
});

test("every job is counted once, and this one not at all", () => {
  fc.assert(
    fc.property(listed, (jobs) => {
      const { waiting, running, completed, open, others } = countJobs(jobs, WHOSE);
      expect(Math.min(waiting, running, completed.length, open)).toBeGreaterThanOrEqual(0);
      expect(waiting + running + completed.length + open).toBeLessThanOrEqual(others);
      expect([jobs.length, jobs.length - 1]).toContain(others);
      if (jobs.includes(OWN_JOB)) expect(others).toBe(jobs.length - 1);
    }),
    { numRuns: 1000 },
  );
});

describe("before renting", () => {
  test("a machine is rented for exactly one job that waits, or where none can be seen to come, and never on a doubt", () => {
    fc.assert(
      fc.property(hold, maybeCounts, ms, ms, (mode, jobs, waitedMs, waitForJobMs) => {
        if (decideBeforeRenting({ hold: mode, jobs, waitedMs, waitForJobMs }).do !== "rent") return;
        expect(jobs).toBeDefined();
        const { waiting = 0, running = 0, completed = [], others = 0, foreignLabels = [] } = jobs ?? {};
        expect([running, completed.length, foreignLabels.length]).toEqual([0, 0, 0]);
        expect(waiting === 1 || (waiting === 0 && (waitForJobMs === 0 || (mode === "auto" && others === 0)))).toBe(
          true,
        );
      }),
      { numRuns: 3000 },
    );
  });
});

describe("while rented", () => {
  const facts = fc.record({
    hold,
    jobs: maybeCounts,
    machine: fc.constantFrom("alive" as const, "gone" as const, "dropped" as const),
    goneMs: ms,
    idleMs: ms,
    idleTimeoutMs: ms,
    lifetimeLeftMs: fc.integer({ min: -1000, max: 100_000_000 }),
  });

  test("a machine that works is never taken away before its deadline", () => {
    fc.assert(
      fc.property(facts, (seen) => {
        fc.pre(seen.lifetimeLeftMs > 0 && seen.machine !== "gone" && (seen.jobs?.running ?? 0) > 0);
        expect(decideWhileRented(seen).do).toBe("hold");
      }),
      { numRuns: 2000 },
    );
  });

  test("what can't be seen takes no machine away that is there", () => {
    fc.assert(
      fc.property(facts, (seen) => {
        fc.pre(seen.lifetimeLeftMs > 0 && seen.machine !== "gone");
        expect(decideWhileRented({ ...seen, jobs: undefined }).do).toBe("hold");
      }),
    );
  });

  test("whatever costs a machine or a job is grave, or takes the runner away first, or is its own end", () => {
    fc.assert(
      fc.property(facts, (seen) => {
        const decision = decideWhileRented(seen);
        const isFree = ["hold", "wait", "return", "end-with-job", "give-up-idle"].includes(decision.do);
        const isEnd = seen.lifetimeLeftMs <= 0 || (seen.jobs === undefined && seen.machine === "gone");
        expect(isFree || isEnd || !isLight(decision)).toBe(true);
        expect(decision.do).not.toBe("rent");
      }),
      { numRuns: 3000 },
    );
  });

  test("what is said of the jobs is plain, but for GitHub's own address of one", () => {
    fc.assert(
      fc.property(facts, (seen) => {
        const { why = "", hint = "" } = decideWhileRented(seen) as { why?: string; hint?: string };
        expect(isPlainLine(seen.jobs?.url ? why.replace(seen.jobs.url, "") : why)).toBe(true);
        expect(isPlainLine(hint)).toBe(true);
      }),
    );
  });
});

test("a grave decision passes only after the same one at least 15 s before, with nothing else between", () => {
  const grave: Decision[] = [
    { do: "rent-again", grave: true },
    { do: "drop-machine", grave: true },
    { do: "fail", why: "a", hint: "", grave: true },
    { do: "fail", why: "b", hint: "", grave: true },
  ];
  const decision = fc.constantFrom<Decision>(...grave, { do: "hold" });
  fc.assert(
    fc.property(fc.array(fc.tuple(decision, fc.integer({ min: 0, max: 20_000 })), { maxLength: 12 }), (sequence) => {
      const looks = new TwoLooks();
      let now = 0;
      let since = 0;
      let before: Decision | undefined;
      for (const [seen, pause] of sequence) {
        now += pause;
        if (JSON.stringify(seen) !== JSON.stringify(before)) since = now;
        before = seen;
        expect(looks.confirm(seen, now) !== undefined).toBe(isLight(seen) || now - since >= 15_000);
      }
    }),
    { numRuns: 1000 },
  );
});

test("a run is cancelled only for a job that waits, with none running, and other jobs have their time", () => {
  const mode = fc.constantFrom("auto" as const, "true" as const, "false" as const);
  fc.assert(
    fc.property(mode, maybeCounts, ms, ms, ms, (cancelRun, jobs, waitedMs, ageMs, machinelessMs) => {
      if (decideAfterFailure({ cancelRun, jobs, waitedMs, ageMs, machinelessMs }) !== "cancel") return;
      expect(cancelRun).not.toBe("false");
      expect(jobs?.running).toBe(0);
      expect(jobs?.waiting).toBeGreaterThan(0);
      const nobodyElse = jobs?.open === 0 || ((jobs?.rivals ?? 0) > 0 && machinelessMs >= 120_000);
      expect(cancelRun === "true" || nobodyElse || waitedMs >= 1_800_000).toBe(true);
    }),
    { numRuns: 3000 },
  );
});

test("a run is stuck only if every job of it that is not over waits for a label of ours", () => {
  const queued = fc.record({
    status,
    labels: fc.array(label, { maxLength: 2 }),
    createdAt: fc.option(ms, { nil: undefined }),
  });
  fc.assert(
    fc.property(fc.array(queued, { maxLength: 5 }), fc.boolean(), ms, (jobs, hasMachine, now) => {
      if (stuckForMs(jobs, { runId: 4711, attempt: 1, hasMachine }, now) === undefined) return;
      const open = jobs.filter((each) => each.status !== "completed");
      expect(hasMachine).toBe(false);
      expect(open.length).toBeGreaterThan(0);
      expect(
        open.filter((each) => each.status !== "queued" || !each.labels.some((text) => /^gpu-4711-1(-|$)/i.test(text))),
      ).toEqual([]);
    }),
    { numRuns: 2000 },
  );
});
