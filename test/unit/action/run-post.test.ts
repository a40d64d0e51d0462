import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, test, vi } from "vitest";
import { runPost } from "../../../src/action/run-post.ts";
import { ledgerWriter, type MainEnd } from "../../../src/release/ledger.ts";
import { RecordedLog } from "../support/recorded-log.ts";
import { stepOutput } from "../support/step-output.ts";

const printed = stepOutput();
let summary: string;

beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), "run-post-"));
  summary = join(folder, "summary");
  writeFileSync(summary, "");
  return () => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  };
});

test("without a job token post says that it sees no jobs, and writes its summary", async () => {
  // Main was refused before it rented anything.
  const end: MainEnd = { kind: "failed", what: "other", message: "One input is wrong: job-token.", taken: 0 };
  const inputs = {
    "API-KEY": "the-api-key",
    "GITHUB-TOKEN": "the-github-token",
    "JOB-TOKEN": "",
    "JOB-STATUS": "failure",
  };
  const origin = { apiKey: inputs["API-KEY"], runId: "4711", attempt: "1" };
  ledgerWriter((name, text) => vi.stubEnv(`STATE_${name}`, text), new RecordedLog(), origin).end(end);
  // Nobody answers at that address: without a token nobody is asked.
  const run = { REPOSITORY: "octo/gpu-lib", REPOSITORY_ID: "1", RUN_ID: "4711", RUN_ATTEMPT: "1", JOB: "rent" };
  const platform = { ...run, API_URL: "http://127.0.0.1:1", STEP_SUMMARY: summary };
  for (const [name, value] of Object.entries(platform)) vi.stubEnv(`GITHUB_${name}`, value);
  for (const [name, value] of Object.entries(inputs)) vi.stubEnv(`INPUT_${name}`, value);
  await runPost(new AbortController().signal);
  expect(printed.text).toMatch(/Whether a GPU job is left could not be seen: job-token may not .*: it is empty/);
  expect(printed.text).toContain("Nothing was rented.");
  expect(printed.text).not.toContain("::error");
  expect(readFileSync(summary, "utf8")).toContain("**Still rented: nothing.**");
});
