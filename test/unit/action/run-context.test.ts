import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { readRunContext } from "../../../src/action/open-session.ts";

const PLATFORM: Record<string, string> = {
  GITHUB_REPOSITORY: "octo/gpu-lib",
  GITHUB_REPOSITORY_ID: "1296269",
  GITHUB_RUN_ID: "16000000001",
  GITHUB_RUN_ATTEMPT: "2",
  GITHUB_JOB: "rent",
  GITHUB_API_URL: "https://ghes.example.com/api/v3",
  GITHUB_SERVER_URL: "https://ghes.example.com",
  RUNNER_NAME: "GitHub Actions 7",
};

beforeEach(() => {
  for (const [name, value] of Object.entries(PLATFORM)) vi.stubEnv(name, value);
});

afterEach(() => {
  vi.unstubAllEnvs();
});

describe("what other platforms leave out", () => {
  test.each([
    ["GITHUB_REPOSITORY_ID", { repositoryId: undefined }],
    ["GITHUB_RUN_ATTEMPT", { attempt: 1, runnerLabel: "gpu-16000000001-1" }],
    ["GITHUB_API_URL", { apiUrl: "https://api.github.com" }],
    ["GITHUB_SERVER_URL", { serverUrl: "https://github.com" }],
    ["RUNNER_NAME", { runnerName: undefined }],
  ])("%s, missing or empty", (name, expected) => {
    vi.stubEnv(name, "");
    expect(readRunContext()).toMatchObject(expected);
    vi.stubEnv(name, undefined);
    expect(readRunContext()).toMatchObject(expected);
  });
});

describe("what can't be left out", () => {
  test("all at once", () => {
    vi.stubEnv("GITHUB_RUN_ID", undefined);
    vi.stubEnv("GITHUB_JOB", undefined);
    expect(readRunContext).toThrow("did not set GITHUB_RUN_ID, GITHUB_JOB.");
  });
});

describe("the workflow's file", () => {
  test.each([
    ["octo/gpu-lib/.github/workflows/gpu.yml@refs/heads/main", ".github/workflows/gpu.yml"],
    ["Octo/GPU-lib/.github/workflows/gpu tests.yaml@refs/pull/7/merge", ".github/workflows/gpu tests.yaml"],
    ["another repository's, as an organisation requires it: octo/rules/.github/workflows/gpu.yml@main", undefined],
    ["octo/rules/.github/workflows/gpu.yml@refs/heads/main", undefined],
    ["octo/gpu-lib/dynamic/copilot@refs/heads/main", undefined],
    ["octo/gpu-lib/.github/workflows/../../x@refs/heads/main", undefined],
    ["octo/gpu-lib/.github/workflows/gpu.yml", undefined],
    ["", undefined],
  ])("%s", (ref, workflow) => {
    vi.stubEnv("GITHUB_WORKFLOW_REF", ref);
    expect(readRunContext().workflow).toBe(workflow);
  });

  test("none is named on other platforms", () => {
    vi.stubEnv("GITHUB_WORKFLOW_REF", undefined);
    expect(readRunContext().workflow).toBeUndefined();
  });
});
