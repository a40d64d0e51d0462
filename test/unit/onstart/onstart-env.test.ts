import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { EnvTooLongError } from "../../../src/onstart/env-too-long-error.ts";
import { ENV_LIMIT, fittingEnv, isReservedName, onstartEnv } from "../../../src/onstart/onstart-env.ts";
import { readBootstrap } from "../../../src/onstart/read-bootstrap.ts";
import { readWork } from "../../../src/onstart/read-work.ts";

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
  work: "#!/bin/bash\n# A comment.\necho work\n",
  setup: "",
  setupTimeoutSeconds: 600,
  probe: "",
};

function unpacked(text = ""): string {
  return gunzipSync(Buffer.from(text, "base64")).toString();
}

test("writes whole numbers and a base URL without a slash at its end", () => {
  const { GHR_WORK, ...env } = onstartEnv(SETTINGS, {});
  expect(unpacked(GHR_WORK)).toBe("#!/bin/bash\necho work\n");
  expect(env).toEqual({
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

test("carries setup and probe as they were written, whatever signs they hold", () => {
  const setup = `pip install 'a b'\n  echo "$HOME" \\ # stays\n\n\tü`;
  const env = onstartEnv({ ...SETTINGS, setup, setupTimeoutSeconds: 90.5, probe: "true" }, {});
  expect(unpacked(env.GHR_SETUP)).toBe(setup);
  expect(unpacked(env.GHR_PROBE)).toBe("true");
  expect(env.GHR_SETUP_TIMEOUT).toBe("91");
  for (const value of [env.GHR_SETUP, env.GHR_PROBE, env.GHR_WORK]) expect(value).toMatch(/^[A-Za-z0-9+/=]+$/);
});

test("refuses more variables than the service takes", () => {
  const name = '{"A":""}'.length;
  const longest = { A: "x".repeat(ENV_LIMIT - name) };
  expect(fittingEnv(longest)).toBe(longest);
  expect(() => fittingEnv({ A: `${longest.A}x` })).toThrow(EnvTooLongError);
});

test("adds the user's variables, but its own win", () => {
  const env = onstartEnv(SETTINGS, { HF_HOME: "/data/hf", GHR_DEADLINE: "9999999999" });
  expect(env).toMatchObject({ HF_HOME: "/data/hf", GHR_DEADLINE: "1795000000" });
});

test("gives the scripts all variables that they read, and no other", () => {
  const read = new Set(`${readBootstrap()}${readWork()}`.match(/\bGHR_[A-Z0-9]+(?:_[A-Z0-9]+)*\b/g));
  // Where its files are is the script's own default.
  read.delete("GHR_ROOT");
  expect([...read].sort()).toEqual(Object.keys(onstartEnv({ ...SETTINGS, setup: "x", probe: "x" }, {})).sort());
});

test("reserves the names of the bootstrap, the service and the runner", () => {
  const names = ["GHR_ROOT", "CONTAINER_API_KEY", "CONTAINER_ID", "ACTIONS_RUNNER_INPUT_JITCONFIG"];
  expect(names.filter(isReservedName)).toEqual(names);
  expect(["HF_HOME", "MY_GHR_X", "GHR", "ghr_x", "CONTAINER", "RUNNER_HOME"].filter(isReservedName)).toEqual([]);
});
