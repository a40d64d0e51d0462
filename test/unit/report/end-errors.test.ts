import { describe, expect, test } from "vitest";
import type { LostJob } from "../../../src/fleet/state.ts";
import { sortJobs } from "../../../src/github/jobs.ts";
import { GpuJobFailedError, MachineLostError } from "../../../src/report/end-errors.ts";
import type { UserError } from "../../../src/shared/user-error.ts";
import { completedJob, WHOSE } from "../support/a-job.ts";

const GONE = "Nothing is rented any more.";
/** GitHub cuts an annotation there. */
const ANNOTATION = 4096;

const url = (id: number) => `https://github.com/octo-org/a-gpu-library/actions/runs/12345678901/job/9876543${id}`;
const name = (id: number) => `test (${id}, ${"precision-bf16-with-a-long-name".repeat(3)})`;

const failed = (count: number, given: Parameters<typeof completedJob>[1] = {}) => {
  const range = Array.from({ length: count }, (_one, index) => 100 + index);
  return sortJobs(
    range.map((id) => completedJob("failure", { id, name: name(id), url: url(id), ...given })),
    WHOSE,
  ).ours;
};
const lost = (count: number) =>
  Array.from({ length: count }, (_one, index): LostJob => {
    const id = 100 + index;
    return { id, name: name(id), url: url(id), machineNo: index, instanceId: id, went: "vanished", cutBy: undefined };
  });

const shown = ({ hint, message }: UserError) => `${message}\nWhat to do: ${hint}`;

describe.each([
  ["256 jobs failed", new GpuJobFailedError(failed(256), GONE), "and 253 more did not succeed; the machine was fine."],
  [
    "64 machines were lost",
    new MachineLostError(lost(64), GONE),
    "61 more were lost under other jobs: not your tests.",
  ],
])("%s", (_what, error, end) => {
  test("the annotation still says what became of them, what bills, and what to do", () => {
    expect(shown(error).length).toBeLessThan(ANNOTATION / 2);
    expect(error.message).toContain(`${end} ${GONE}`);
    expect(error.message).toContain(`'${name(100).slice(0, 99)}`);
  });
});

test("jobs that ended while the service gave no answer: no machine is called fine", () => {
  expect(new GpuJobFailedError(failed(1), GONE, false).message).toContain(
    `did not succeed; Vast.ai did not say whether the machine was fine. ${GONE}`,
  );
});

const DOCKER = "these machines have no Docker: leave `container:` out, `image` is the container";

test.each([
  ["needs Docker", "Initialize containers", undefined, DOCKER, "Leave `container:` and `services:` out"],
  [
    "was refused after a setup, as read",
    "Set up runner",
    "setup ended with code 3. No space",
    "setup ended with code 3. No space",
    "correct setup",
  ],
  [
    "was refused after a setup",
    "Set up runner",
    undefined,
    "setup failed on its machine, as the job's log shows",
    "correct setup",
  ],
])("a job that %s: no machine is called fine", (_what, failedStep, setup, why, hint) => {
  const [job] = failed(1, { failedStep });
  const error = new GpuJobFailedError(job ? [{ ...job, setup }] : [], GONE);
  expect(error.message).toContain(`) did not succeed; ${why}. ${GONE}`);
  expect(error.hint).toContain(hint);
  expect(error.hint).toContain('"Re-run failed jobs" rents again');
});

test("of several jobs the one that needs Docker is named", () => {
  const jobs = [...failed(2), ...failed(1, { id: 900, name: "gpu", failedStep: "Initialize containers" })];
  expect(new GpuJobFailedError(jobs, GONE).message).toContain(` did not succeed; of 'gpu': ${DOCKER}. ${GONE}`);
});

test("a job whose own step failed had a machine that was fine", () => {
  expect(new GpuJobFailedError(failed(1, { failedStep: "Run pytest" }), GONE).message).toContain(
    "the machine was fine",
  );
});

test.each([
  [1, "it"],
  [2, "them"],
])("%i jobs that were cancelled before a machine ran them: no machine is called fine", (count, whom) => {
  const none = { runnerId: undefined, runnerName: undefined };
  const { message } = new GpuJobFailedError(failed(count, none), "Nothing was rented.");
  expect(message).toMatch(new RegExp(` did not succeed; no machine had run ${whom}\\. Nothing was rented\\.$`));
});
