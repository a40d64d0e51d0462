import { decided, inputSchema } from "../../../src/action/inputs/schema.ts";
import type { RunContext } from "../../../src/github/github.ts";
import type { Run } from "../../../src/github/runs.ts";

/** The least that a user must give, as the platform hands it over. */
export const NEEDED_INPUTS = {
  "api-key": "the-api-key",
  "github-token": "the-github-token",
  "job-token": "the-job-token",
  "max-price": "0.60",
  "max-cost": "none",
  image: "debian:13",
};

/** The inputs as main reads them: the least, and those that the test gives. */
export function inputsOf(given: Readonly<Record<string, string>> = {}) {
  return decided(inputSchema.parse({ ...NEEDED_INPUTS, ...given }));
}

/** An attempt of a run as the platform shows it, but for what the test says. */
export function aRun(given: Partial<RunContext> = {}): RunContext {
  const { runId = 4711, attempt = 1 } = given;
  return {
    owner: "octo",
    repo: "gpu-lib",
    repositoryId: 1,
    runId,
    attempt,
    jobName: "rent",
    workflow: ".github/workflows/gpu.yml",
    runnerName: "hosted-1",
    apiUrl: "https://api.github.com",
    serverUrl: "https://github.com",
    runnerLabel: `gpu-${runId}-${attempt}`,
    ...given,
  };
}

/** A session in that attempt: the names of its machines and runners, and its tarball. */
export function aSessionIn({ repositoryId, runId, attempt, runnerLabel }: RunContext) {
  return {
    prefix: `ghr1.${repositoryId}.${runId}-${attempt}.abcdef`,
    runnerNamePrefix: `${runnerLabel}-abcdef`,
    download: { url: "https://github.example/runner.tar.gz", sha256: "ab".repeat(32) },
    imageBytes: undefined,
  };
}

/** A run as GitHub lists it: its first attempt failed a minute ago, but for what the test says. */
export function aListedRun(given: Partial<Run> = {}): Run {
  const now = Date.UTC(2026, 0, 1);
  const ended = { status: "completed", conclusion: "failure", startedAt: now - 3_600_000, updatedAt: now - 60_000 };
  return { id: 4711, attempt: 1, ...ended, headBranch: "main", headSha: "abc", isOfFork: false, ...given };
}
