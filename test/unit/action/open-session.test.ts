import { beforeEach, expect, test, vi } from "vitest";
import { readInputs } from "../../../src/action/inputs/read.ts";
import { openService, openSession, readRunContext } from "../../../src/action/open-session.ts";
import { matcherOf } from "../../../src/release/session.ts";
import { NEEDED_INPUTS } from "../support/a-run.ts";
import { stepOutput } from "../support/step-output.ts";

stepOutput();

const PLATFORM = {
  ...{ REPOSITORY: "octo/gpu-lib", REPOSITORY_ID: "1296269", RUN_ID: "4711", RUN_ATTEMPT: "2", JOB: "rent" },
  ...{ API_URL: "https://ghes.example.com/api/v3", SERVER_URL: "https://ghes.example.com" },
};

beforeEach(() => {
  for (const [name, value] of Object.entries(PLATFORM)) vi.stubEnv(`GITHUB_${name}`, value);
  vi.stubEnv("RUNNER_NAME", "hosted-1");
  return () => vi.unstubAllEnvs();
});

test.each([
  ["GITHUB_REPOSITORY_ID", { repositoryId: undefined }],
  ["GITHUB_RUN_ATTEMPT", { attempt: 1, runnerLabel: "gpu-4711-1" }],
  ["GITHUB_API_URL", { apiUrl: "https://api.github.com" }],
  ["GITHUB_SERVER_URL", { serverUrl: "https://github.com" }],
])("other platforms leave out %s, or have it empty", (name, expected) => {
  for (const value of ["", undefined]) {
    vi.stubEnv(name, value);
    expect(readRunContext()).toMatchObject(expected);
  }
});

test("what can't be left out is named, all at once", () => {
  vi.stubEnv("GITHUB_RUN_ID", "");
  vi.stubEnv("GITHUB_JOB", undefined);
  expect(readRunContext).toThrow("The platform did not set GITHUB_RUN_ID, GITHUB_JOB.");
});

test.each([
  ["Octo/GPU-lib/.github/workflows/gpu tests.yaml@refs/pull/7/merge", ".github/workflows/gpu tests.yaml"],
  ["octo/rules/.github/workflows/gpu.yml@refs/heads/main", undefined],
  ["octo/gpu-lib/.github/workflows/../../x@refs/heads/main", undefined],
])("the workflow's file: %s", (ref, workflow) => {
  vi.stubEnv("GITHUB_WORKFLOW_REF", ref);
  expect(readRunContext().workflow).toBe(workflow);
});

/** The session of a step with these inputs. */
async function opened(inputs: Record<string, string>, id?: string) {
  for (const [name, value] of Object.entries({ ...NEEDED_INPUTS, ...inputs }))
    vi.stubEnv(`INPUT_${name.toUpperCase()}`, value);
  const given = readInputs();
  await using room = openService(given.lenient);
  return openSession(given, room, { id });
}

test("names, jobs and its own job are those of this run, this session and this job", async () => {
  const session = await opened({ name: "cuda12", "job-check-run-id": "99", "job-status": "cancelled" }, "abcdef");
  expect(session.runnerNamePrefix).toBe("gpu-4711-2-cuda12-abcdef");
  expect(matcherOf(session)).toEqual({
    runnerLabel: "gpu-4711-2-cuda12",
    runnerNamePrefix: "gpu-4711-2-cuda12-abcdef",
    own: { checkRunId: 99, runnerName: "hosted-1", jobName: "rent" },
  });
  expect(session.inputs).toMatchObject({ jobStatus: "cancelled", knowsLabel: true, ifNoMachine: "auto" });
});
