import { describe, expect, test } from "vitest";
import { stuckForMs } from "../../../src/runs/stuck-runs.ts";

const NOW = Date.UTC(2026, 0, 1);
const MINUTE = 60_000;
const RUN = { runId: 4711, attempt: 1, hasMachine: false };

const waiting = (minutes: number, labels = ["gpu-4711-1"]) => ({
  status: "queued",
  labels,
  createdAt: NOW - minutes * MINUTE,
});
const hosted = (status: string) => ({ status, labels: ["ubuntu-latest"], createdAt: NOW - 60 * MINUTE });

describe("stuck", () => {
  test.each([
    ["a GPU job alone", [waiting(15)], 15],
    ["while other jobs are over", [hosted("completed"), waiting(16)], 16],
    ["by the one that has waited longest", [waiting(2), waiting(20)], 20],
    ["for a session with a name", [waiting(15, ["gpu-4711-1-cuda12"])], 15],
    ["that asks for an earlier attempt's machine: none comes", [waiting(15, ["gpu-4711-1-cuda12"])], 15, 3],
    ["though another one asks for this attempt's", [waiting(16), waiting(2, ["gpu-4711-2"])], 16, 2],
    ["whose label lacks the attempt", [waiting(15, ["gpu-4711"])], 15],
    ["whose label has a slip before the run", [waiting(15, ["gup-4711-1"])], 15],
    ["whatever the case, and with other labels", [waiting(15, ["self-hosted", "GPU-4711-1"])], 15],
  ] as [string, Parameters<typeof stuckForMs>[0], number, number?][])("%s", (_what, jobs, minutes, attempt = 1) => {
    expect(stuckForMs(jobs, { ...RUN, attempt }, NOW)).toBe(minutes * MINUTE);
  });
});

describe("not stuck", () => {
  test.each([
    ["waits less than 15 minutes", [waiting(14.9)]],
    ["has waited for a time that GitHub does not show", [{ ...waiting(60), createdAt: undefined }]],
    ["another job is queued: it may be the one that rents", [waiting(60), hosted("queued")]],
    ["another job runs", [waiting(60), hosted("in_progress")]],
    ["another job waits for an approval", [waiting(60), hosted("waiting")]],
    ["another job is held by its group", [waiting(60), hosted("pending")]],
    ["another job is in a state of next year", [waiting(60), hosted("hibernating")]],
    ["one GPU job runs", [waiting(60), { ...waiting(60), status: "in_progress" }]],
    ["the GPU job itself waits for an approval", [{ ...waiting(60), status: "waiting" }]],
    ["the label of an attempt to come", [waiting(60, ["gpu-4711-2"])]],
    ["the label of a run whose number ours begins", [waiting(60, ["gpu-4711-12"])]],
    ["a runner of another kind", [waiting(60, ["gpu"])]],
    ["all is over", [hosted("completed")]],
    ["no job at all", []],
  ])("%s", (_what, jobs) => {
    expect(stuckForMs(jobs, RUN, NOW)).toBeUndefined();
  });

  test.each(["gpu-4711-0", "gpu-4711-x", "gpu-4711-", "gpu-471-1", "my-gpu-4711-1"])("the label %s", (label) => {
    expect(stuckForMs([waiting(60, [label])], { ...RUN, attempt: 2 }, NOW)).toBeUndefined();
  });
});
