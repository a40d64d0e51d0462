import { expect, test } from "vitest";
import { billingOf } from "../../../src/fleet/recording/records.ts";
import type { LostJob } from "../../../src/fleet/state.ts";
import { LOST_MACHINE_TITLE, readLostJobs } from "../../../src/github/annotations.ts";
import { sortJobs } from "../../../src/github/jobs.ts";
import { describeFailure, jobAnnotations } from "../../../src/report/annotations.ts";
import { GpuJobFailedError, MachineLostError } from "../../../src/report/end-errors.ts";
import { faultOf, UserError } from "../../../src/shared/user-error.ts";
import { aFleet, anEnding, busy, spent } from "../support/a-fleet.ts";
import { completedJob, runningJob, WHOSE } from "../support/a-job.ts";

function lost(id: number, change: Partial<LostJob> = {}): LostJob {
  const name = `test ${id}`;
  return {
    id,
    name,
    url: undefined,
    machineNo: id,
    instanceId: 7000 + id,
    went: "vanished",
    cutBy: undefined,
    ...change,
  };
}

function failed(id: number) {
  return completedJob("failure", { id, name: `test ${id}`, url: `https://job/${id}` });
}

const jobs = (...some: Parameters<typeof sortJobs>[0]) => sortJobs(some, WHOSE);
const range = (from: number, to: number) => Array.from({ length: to - from }, (_one, index) => from + index);

test("one for each machine that was lost, with a mark that the sweep reads, and one for each job that failed", () => {
  const annotations = jobAnnotations({
    machines: [],
    jobs: jobs(
      failed(5),
      completedJob("failure", { id: 6 }),
      completedJob("success", { id: 7 }),
      runningJob({ id: 8 }),
    ),
    lost: [lost(6, { went: "was outbid" })],
  });
  expect(annotations.map(({ title }) => title)).toEqual([LOST_MACHINE_TITLE, "GPU job failed"]);
  expect(annotations[0]?.message).toMatch(
    /^Machine 6 \(instance 7006\) was outbid under 'test 6': not your tests\. Use .*: 6\]$/,
  );
  expect(annotations.map(({ message }) => readLostJobs(message))).toEqual([[6], []]);
  expect(annotations[1]?.message).toBe(
    "'test 5' (https://job/5) ended as failure; the machine was fine. Look at the GPU job. \"Re-run failed jobs\" rents again.",
  );
});

test("that a lost machine is destroyed is not said: it may bill while the service does not destroy it", () => {
  const machine = busy(1, { ending: anEnding("lost"), fault: faultOf(new UserError("It stays.")) });
  expect(billingOf(aFleet([machine]))).toBe("Instance 701 is given back now.");
  const [told] = jobAnnotations({ machines: [], jobs: jobs(), lost: [lost(1)] });
  expect(told?.message).not.toContain("destroyed");
});

test("a job that the step's own error names has no other annotation, and its loss is marked there", () => {
  const some = [2, 3, 4, 5, 6].map(failed);
  const fleet = { machines: [], jobs: jobs(...some), lost: [lost(6), lost(7)] };
  const ofFailed = new GpuJobFailedError(jobs(...some).ours, "Gone.");
  const others = jobAnnotations({ ...fleet, lost: [] }, ofFailed.jobIds).map(({ message }) => message);
  expect(others).toEqual([expect.stringMatching(/^'test 5'/), expect.stringMatching(/^'test 6'/)]);
  const ofLost = new MachineLostError(fleet.lost, "Gone.");
  expect(readLostJobs(describeFailure(ofLost, "").mark ?? "")).toEqual([6, 7]);
  expect(jobAnnotations(fleet, ofLost.jobIds).map(({ title }) => title)).toEqual(Array(4).fill("GPU job failed"));
});

test("where the list of instances is older than a job's end, no machine is called fine", () => {
  const late = completedJob("failure", { completedAt: 9000 });
  const [told] = jobAnnotations({ machines: [], jobs: jobs(late), lost: [], instancesAt: 8999 });
  expect(told?.message).toContain("; Vast.ai did not say whether the machine was fine. ");
  const [seen] = jobAnnotations({ machines: [], jobs: jobs(late), lost: [], instancesAt: 9000 });
  expect(seen?.message).toContain("; the machine was fine. ");
});

test("of a job that was cancelled before it had a machine no machine is called fine", () => {
  const cancelled = completedJob("cancelled", { runnerId: undefined, runnerName: undefined });
  expect(jobAnnotations({ machines: [], jobs: jobs(cancelled), lost: [] })[0]?.message).toBe(
    "'test' (https://job/2) ended as cancelled; no machine had run it. Look at the GPU job. \"Re-run failed jobs\" rents again.",
  );
});

test.each([
  [16, 0],
  [9, 0],
  [0, 30],
  [12, 12],
  [8, 1],
  [9, 1],
])("%i lost and %i failed ones: nine annotations at most, and every job is in one", (lostOnes, failedOnes) => {
  const annotations = jobAnnotations({
    machines: [],
    jobs: jobs(...range(100, 100 + failedOnes).map(failed)),
    lost: range(1, 1 + lostOnes).map((id) => lost(id)),
  });
  expect(annotations.length).toBe(Math.min(9, lostOnes + failedOnes));
  expect(annotations.flatMap(({ message }) => readLostJobs(message))).toEqual(range(1, 1 + lostOnes));
  const text = annotations.map(({ message }) => message).join("\n");
  for (const id of range(100, 100 + failedOnes)) expect(text).toContain(`'test ${id}'`);
});

test("jobs that needed Docker, or whose setup failed, are told so", () => {
  const docker = completedJob("failure", { failedStep: "Initialize containers" });
  expect(jobAnnotations({ machines: [], jobs: jobs(docker), lost: [] })[0]?.message).toContain(
    "ended as failure; these machines have no Docker: leave `container:` out, `image` is the container. ",
  );
  const refused = completedJob("failure", { id: 101, failedStep: "Set up runner" });
  const machine = spent(1);
  const slots = machine.slots.map((slot) => ({ ...slot, log: { at: 1, setup: "setup ended with code 3. No space" } }));
  expect(jobAnnotations({ machines: [{ ...machine, slots }], jobs: jobs(refused), lost: [] })[0]?.message).toContain(
    "ended as failure; setup ended with code 3. No space. ",
  );
});
