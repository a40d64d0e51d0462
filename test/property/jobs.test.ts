import fc from "fast-check";
import { expect, test } from "vitest";
import { type GpuJobs, type Job, jobPageSchema, sortJobs } from "../../src/github/jobs.ts";
import { decideEnd } from "../../src/runs/decide-end.ts";
import { stuckForMs } from "../../src/runs/stuck-runs.ts";
import { aJob, OUR_RUNNER, OWN_JOB, RUNNER_LABEL, WHOSE } from "../unit/support/a-job.ts";
import { aRun } from "../unit/support/a-run.ts";
import { always } from "./support/always.ts";
import { hostileJson, hostileText, orNone } from "./support/hostile.ts";

const known = fc.constantFrom("queued", "in_progress", "completed", "waiting", "pending", "requested");
const status = fc.oneof({ arbitrary: known, weight: 8 }, hostileText);
const LABELS = [RUNNER_LABEL, RUNNER_LABEL.toUpperCase(), `${RUNNER_LABEL}-x`, "ubuntu-latest"];
const label = fc.oneof(fc.constantFrom(...LABELS), hostileText);
const job: fc.Arbitrary<Job> = fc
  .record({
    id: fc.integer({ min: 2, max: 9 }),
    name: fc.oneof(fc.constantFrom("rent", "test"), hostileText),
    status,
    conclusion: orNone(fc.oneof(fc.constantFrom("success", "failure", "cancelled"), hostileText)),
    labels: fc.array(label, { maxLength: 3 }),
    runnerId: orNone(fc.constantFrom(OUR_RUNNER, 900)),
    runnerName: orNone(fc.constantFrom("hosted-7", `${RUNNER_LABEL}-abcdef-1`)),
    url: orNone(hostileText),
  })
  .map((given) => aJob(given));
const listed = fc.array(job, { maxLength: 6 }).map((jobs) => [OWN_JOB, ...jobs]);
const sorted: fc.Arbitrary<GpuJobs> = listed.map((jobs) => sortJobs(jobs, WHOSE));
const ms = fc.oneof(fc.constantFrom(0, 1, 15_000, 60_000, 900_000), fc.integer({ min: 0, max: 100_000_000 }));

test("a list of jobs that can't be read is no list: its page is refused as a whole", () => {
  const row = hostileJson("id", "name", "status", "labels", "runner_id");
  always(100, [fc.array(row, { minLength: 1, maxLength: 4 })], (jobs) => {
    const read = jobPageSchema.safeParse({ total_count: jobs.length, jobs }).data;
    // One that is left out could be ours, and its machine would be taken away.
    if (read !== undefined) expect(read.jobs).toHaveLength(jobs.length);
  });
});

test("a run is cancelled only for a job that waits, with none of ours running, and nothing else open but for `cancel`", () => {
  const mode = fc.constantFrom("auto" as const, "cancel" as const, "leave" as const);
  always(3000, [mode, orNone(sorted), ms], (ifNoMachine, jobs, waitedMs) => {
    const inputs = { check: false, ifNoMachine, jobCheckRunId: "1", jobStatus: "failure", knowsLabel: true };
    const session = { inputs, run: aRun() };
    const main = { waitedMs, isKeeping: false };
    if (decideEnd({ session, jobs, end: undefined, main }).do !== "cancel") return;
    const states = jobs?.ours.map(({ state }) => state) ?? [];
    expect(["auto", "cancel"]).toContain(ifNoMachine);
    expect(states).toContain("waiting");
    expect(states).not.toContain("running");
    if (ifNoMachine === "auto") expect([jobs?.othersOpen.length, states.includes("held")]).toEqual([0, false]);
  });
});

test("a run is stuck only if every job of it that is not over waits for a label of ours", () => {
  const queued = fc.record({ status, labels: fc.array(label, { maxLength: 2 }), createdAt: orNone(ms) });
  always(2000, [fc.array(queued, { maxLength: 5 }), fc.boolean(), ms], (jobs, hasMachine, now) => {
    if (stuckForMs(jobs, { runId: 4711, attempt: 1, hasMachine }, now) === undefined) return;
    const open = jobs.filter((each) => each.status !== "completed");
    expect(hasMachine).toBe(false);
    expect(open.length).toBeGreaterThan(0);
    const isOurs = (text: string) => /^gpu-4711-1(-|$)/i.test(text);
    expect(open.filter((each) => each.status !== "queued" || !each.labels.some(isOurs))).toEqual([]);
  });
});
