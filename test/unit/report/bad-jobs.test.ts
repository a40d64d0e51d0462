import { expect, test } from "vitest";
import type { Fleet, LostJob } from "../../../src/fleet/state.ts";
import { LOST_MACHINE_TITLE, readLostJobs } from "../../../src/github/annotations.ts";
import { type Job, sortJobs } from "../../../src/github/jobs.ts";
import { describeFailure, jobAnnotations } from "../../../src/report/annotations.ts";
import { GpuJobFailedError, MachineLostError } from "../../../src/report/end-errors.ts";
import { completedJob, runningJob, WHOSE } from "../support/a-job.ts";
import { spent } from "../support/machines.ts";

const GONE = "Nothing is rented any more.";
/** GitHub cuts an annotation there. */
const ANNOTATION = 4096;
const LONG = "precision-bf16-with-a-long-name".repeat(3);
const DOCKER = "these machines have no Docker: leave `container:` out, `image` is the container";
const NEVER_RAN = { runnerId: undefined, runnerName: undefined };

const range = (from: number, to: number) => Array.from({ length: to - from }, (_one, index) => from + index);
const failed = (id: number, given: Partial<Job> = {}) =>
  completedJob("failure", { id, name: `test ${id}`, url: `https://job/${id}`, ...given });
const ours = (...some: Job[]) => sortJobs(some, WHOSE);

function lost(id: number, given: Partial<LostJob> = {}): LostJob {
  const { name, went } = { name: `test ${id}`, went: "vanished" as const };
  return { id, name, url: undefined, machineNo: id, instanceId: 7000 + id, went, cutBy: undefined, ...given };
}

const of = (given: Partial<Fleet>, named?: readonly number[]) =>
  jobAnnotations({ machines: [], jobs: ours(), lost: [], ...given }, named);

test("annotations: one for each machine that was lost, with a mark that the sweep reads, and one for each job that failed", () => {
  const jobs = ours(failed(5), failed(6), completedJob("success", { id: 7 }), runningJob({ id: 8 }));
  const [ofLost, ofFailed, ...more] = of({ jobs, lost: [lost(6, { went: "was outbid" })] });
  expect(ofLost?.title).toBe(LOST_MACHINE_TITLE);
  expect(ofLost?.message).toMatch(
    /^Machine 6 \(instance 7006\) was outbid under 'test 6': not your tests\. Use .*: 6\]$/,
  );
  // It may bill while the service does not destroy it.
  expect(ofLost?.message).not.toContain("destroyed");
  expect(readLostJobs(ofLost?.message ?? "")).toEqual([6]);
  const message =
    "'test 5' (https://job/5) ended as failure; the machine was fine. Look at the GPU job. \"Re-run failed jobs\" rents again.";
  expect(ofFailed).toEqual({ title: "GPU job failed", message });
  expect([readLostJobs(message), more]).toEqual([[], []]);
});

test("annotations: a job that the step's own error names has no other one, and its loss is marked there", () => {
  const jobs = ours(...[2, 3, 4, 5, 6].map((id) => failed(id)));
  const ofFailed = new GpuJobFailedError(jobs.ours, GONE);
  const others = of({ jobs }, ofFailed.jobIds).map(({ message }) => message.slice(0, 8));
  expect(others).toEqual(["'test 5'", "'test 6'"]);
  const ofLost = new MachineLostError([lost(6), lost(7)], GONE);
  expect(ofLost.message).toContain("under 'test 7': not your tests");
  expect(readLostJobs(describeFailure(ofLost, "").mark ?? "")).toEqual([6, 7]);
  const titles = of({ jobs, lost: [lost(6), lost(7)] }, ofLost.jobIds).map(({ title }) => title);
  expect(titles).toEqual(Array(4).fill("GPU job failed"));
});

test.each([
  [8999, "; Vast.ai did not say whether the machine was fine. "],
  [9000, "; the machine was fine. "],
])("annotations: of a job that ended at 9000 ms, where instances were listed at %i ms", (instancesAt, says) => {
  expect(of({ jobs: ours(failed(5, { completedAt: 9000 })), instancesAt })[0]?.message).toContain(says);
});

test("annotations: what its machine's log says of a setup that failed is the reason", () => {
  const machine = spent(1);
  const log = { at: 1, setup: "setup ended with code 3. No space" };
  const machines = [{ ...machine, slots: machine.slots.map((slot) => ({ ...slot, log })) }];
  const [told] = of({ machines, jobs: ours(failed(101, { failedStep: "Set up runner" })) });
  expect(told?.message).toContain("ended as failure; setup ended with code 3. No space. ");
});

test.each([[12, 12]])(
  "annotations: %i lost and %i failed ones: nine at most, and every job is in one",
  (lostOnes, failedOnes) => {
    const [gone, bad] = [range(1, 1 + lostOnes), range(100, 100 + failedOnes)];
    const annotations = of({ jobs: ours(...bad.map((id) => failed(id))), lost: gone.map((id) => lost(id)) });
    expect(annotations.length).toBe(Math.min(9, lostOnes + failedOnes));
    expect(annotations.flatMap(({ message }) => readLostJobs(message))).toEqual(gone);
    const text = annotations.map(({ message }) => message).join("\n");
    for (const id of bad) expect(text).toContain(`'test ${id}'`);
  },
);

const errorOf = (...jobs: Job[]) => new GpuJobFailedError(ours(...jobs).ours, GONE);

const manyFailed = range(100, 356).map((id) => failed(id, { name: `${id} ${LONG}`, url: `https://job/${LONG}` }));

test("256 jobs failed: the annotation still says what became of them, what bills, and what to do", () => {
  const error = errorOf(...manyFailed);
  expect(`${error.message}\nWhat to do: ${error.hint}`.length).toBeLessThan(ANNOTATION / 2);
  expect(error.message).toContain(`and 253 more did not succeed; the machine was fine. ${GONE}`);
  expect(error.message).toContain(`'100 ${LONG.slice(0, 95)}`);
});

const LOOK = "Look at the GPU job.";
const CONTAINERS = failed(9, { failedStep: "Initialize containers" });
const SETUP = "setup failed on its machine, as the job's log shows";

test.each<[string, Job[], string, string]>([
  ["needs Docker, of three", [failed(7), failed(2), CONTAINERS], `of 'test 9': ${DOCKER}`, "Leave `container:`"],
  ["failed setup", [failed(7, { failedStep: "Set up runner" })], SETUP, "correct setup"],
  ["was cancelled before a machine ran it", [failed(7, NEVER_RAN)], "no machine had run it", LOOK],
  ["was cancelled with another one", [failed(7, NEVER_RAN), failed(2, NEVER_RAN)], "no machine had run them", LOOK],
])("a job that %s", (_what, jobs, why, hint) => {
  const error = errorOf(...jobs);
  expect(error.message).toContain(`) did not succeed; ${why}. ${GONE}`);
  expect(error.hint).toContain(hint);
  expect(error.hint).toContain('"Re-run failed jobs" rents again');
});
