import { expect, test } from "vitest";
import { isReservedName, onstartEnv } from "../../../src/onstart/onstart-env.ts";
import { readBootstrap } from "../../../src/onstart/read-bootstrap.ts";

const SETTINGS = {
  jitConfig: "c2VjcmV0",
  runnerUrl: "https://example.com/runner.tar.gz",
  runnerSha256: "ab".repeat(32),
  apiUrl: "https://service.example.com/",
  deadline: 1_795_000_000.9,
  maxUptimeSeconds: 8100.2,
  idleTimeoutSeconds: 300,
  numGpus: 2,
  repository: "owner/repo",
  runId: 42,
  runAttempt: 1,
};

test("writes whole numbers and a base URL without a slash at its end", () => {
  expect(onstartEnv(SETTINGS, {})).toEqual({
    GHR_JIT: "c2VjcmV0",
    GHR_RUNNER_URL: "https://example.com/runner.tar.gz",
    GHR_RUNNER_SHA256: "ab".repeat(32),
    GHR_API_URL: "https://service.example.com",
    GHR_DEADLINE: "1795000000",
    GHR_MAX_UPTIME: "8101",
    GHR_IDLE_TIMEOUT: "300",
    GHR_NUM_GPUS: "2",
    GHR_REPOSITORY: "owner/repo",
    GHR_RUN_ID: "42",
    GHR_RUN_ATTEMPT: "1",
  });
});

test("adds the user's variables, but its own win", () => {
  const env = onstartEnv(SETTINGS, { HF_HOME: "/data/hf", GHR_DEADLINE: "9999999999" });
  expect(env).toMatchObject({ HF_HOME: "/data/hf", GHR_DEADLINE: "1795000000" });
});

test("gives the bootstrap all variables that it reads, and no other", () => {
  const read = new Set(readBootstrap().match(/\bGHR_[A-Z0-9]+(?:_[A-Z0-9]+)*\b/g));
  // Where its files are is the script's own default.
  read.delete("GHR_ROOT");
  expect([...read].sort()).toEqual(Object.keys(onstartEnv(SETTINGS, {})).sort());
});

test("reserves the names of the bootstrap, the service and the runner", () => {
  const names = ["GHR_ROOT", "CONTAINER_API_KEY", "CONTAINER_ID", "ACTIONS_RUNNER_INPUT_JITCONFIG"];
  expect(names.filter(isReservedName)).toEqual(names);
  expect(["HF_HOME", "MY_GHR_X", "GHR", "ghr_x", "CONTAINER"].filter(isReservedName)).toEqual([]);
});
