import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { runPost } from "../../../src/action/run-post.ts";
import { ledgerWriter, type MainEnd } from "../../../src/release/ledger.ts";
import { RecordedLog } from "../support/recorded-log.ts";
import { stepOutput } from "../support/step-output.ts";

const printed = stepOutput();
let folder: string;
let summary: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "run-post-"));
  summary = join(folder, "summary");
  writeFileSync(summary, "");
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

/** As the platform starts post after a main that was refused before it rented anything. */
function give(inputs: Record<string, string>): void {
  const message = "One input is wrong: job-token. Nothing was rented.";
  const end: MainEnd = { kind: "failed", what: "other", message, taken: 0 };
  const origin = { apiKey: inputs["api-key"] ?? "", runId: "4711", attempt: "1" };
  ledgerWriter((name, text) => vi.stubEnv(`STATE_${name}`, text), new RecordedLog(), origin).end(end);
  const platform = {
    GITHUB_REPOSITORY: "octo/gpu-lib",
    GITHUB_REPOSITORY_ID: "1",
    GITHUB_RUN_ID: "4711",
    GITHUB_RUN_ATTEMPT: "1",
    GITHUB_JOB: "rent",
    // Nobody answers there: without a token nobody is asked.
    GITHUB_API_URL: "http://127.0.0.1:1",
    GITHUB_STEP_SUMMARY: summary,
  };
  const given = Object.entries(inputs).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value] as const);
  for (const [name, value] of [...Object.entries(platform), ...given]) vi.stubEnv(name, value);
}

test("without a job token post says that it sees no jobs, and writes its summary", async () => {
  give({ "api-key": "the-api-key", "github-token": "the-github-token", "job-token": "", "job-status": "failure" });
  await runPost(new AbortController().signal);
  expect(printed.text).toMatch(/Whether a GPU job is left could not be seen: job-token may not .*: it is empty/);
  expect(printed.text).not.toContain("::error");
  expect(readFileSync(summary, "utf8")).toContain("**Still rented: nothing.**");
});
