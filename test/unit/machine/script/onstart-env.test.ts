import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { isReservedName, onstartEnv } from "../../../../src/machine/script/onstart-env.ts";
import { textOf } from "../../../repo/support/repository.ts";

const SETTINGS = {
  jitConfigs: ["c2VjcmV0"],
  download: { url: "https://example.com/runner.tar.gz", sha256: "ab".repeat(32) },
  apiUrl: "https://service.example.com/",
  deadline: 1_795_000_000_900,
  uptimeMs: 8_100_200,
  maxLifetime: 3_600_500,
  keepFailed: 0,
  idleTimeout: 300_000,
  numGpus: 2,
  repository: "owner/repo",
  runId: 42,
  runAttempt: 1,
  setup: "",
  setupTimeout: 600_000,
  probe: "",
};

function unpacked(text = ""): string {
  return gunzipSync(Buffer.from(text, "base64")).toString();
}

test("writes whole numbers and a base URL without a slash at its end", () => {
  const { GHR_WORK, ...env } = onstartEnv(SETTINGS, {});
  expect(unpacked(GHR_WORK)).toContain("\nprove_key() {\n");
  expect(env).toEqual({
    GHR_JIT: "c2VjcmV0",
    GHR_RUNNER_URL: "https://example.com/runner.tar.gz",
    GHR_RUNNER_SHA256: "ab".repeat(32),
    GHR_API_URL: "https://service.example.com",
    GHR_DEADLINE: "1795000000",
    GHR_MAX_UPTIME: "8101",
    GHR_MAX_LIFETIME: "3601",
    GHR_KEEP_FAILED: "0",
    GHR_IDLE_TIMEOUT: "300",
    GHR_NUM_GPUS: "2",
    GHR_REPOSITORY: "owner/repo",
    GHR_RUN_ID: "42",
    GHR_RUN_ATTEMPT: "1",
  });
});

test("carries setup and probe as they were written, whatever signs they hold", () => {
  const setup = `pip install 'a b'\n  echo "$HOME" \\ # stays\n\n\tü`;
  const env = onstartEnv({ ...SETTINGS, setup, setupTimeout: 90_500, probe: "true" }, {});
  expect(unpacked(env.GHR_SETUP)).toBe(setup);
  expect(unpacked(env.GHR_PROBE)).toBe("true");
  expect(env.GHR_SETUP_TIMEOUT).toBe("91");
  for (const value of [env.GHR_SETUP, env.GHR_PROBE, env.GHR_WORK]) expect(value).toMatch(/^[A-Za-z0-9+/=]+$/);
});

test("carries a configuration for each job of the machine", () => {
  const env = onstartEnv({ ...SETTINGS, jitConfigs: ["a", "b", "c", "d"], keepFailed: 900_000 }, {});
  expect(env).toMatchObject({ GHR_JIT: "a", GHR_JIT_2: "b", GHR_JIT_3: "c", GHR_JIT_4: "d", GHR_KEEP_FAILED: "900" });
});

test("adds the user's variables, but its own win", () => {
  const env = onstartEnv(SETTINGS, { HF_HOME: "/data/hf", GHR_DEADLINE: "9999999999" });
  expect(env).toMatchObject({ HF_HOME: "/data/hf", GHR_DEADLINE: "1795000000" });
});

test("gives the scripts all variables that they read, and no other", () => {
  const scripts = ["bootstrap", "work", "runners", "figures"].map((name) => textOf(`onstart/${name}.sh`)).join("");
  const read = new Set(scripts.match(/\bGHR_[A-Z0-9]+(?:_[A-Z0-9]+)*\b/g));
  // Where its files are is the script's own default; what is heard, it finds out.
  for (const own of ["GHR_ROOT", "GHR_SIGNAL"]) read.delete(own);
  const all = { ...SETTINGS, jitConfigs: ["a", "b", "c", "d"], setup: "x", probe: "x", gpuFigures: true };
  expect([...read].sort()).toEqual(Object.keys(onstartEnv(all, {})).sort());
});

test("reserves the names of the bootstrap, the service and the runner", () => {
  const names = ["GHR_ROOT", "CONTAINER_API_KEY", "CONTAINER_ID", "ACTIONS_RUNNER_INPUT_JITCONFIG"];
  expect(names.filter(isReservedName)).toEqual(names);
  expect(["HF_HOME", "MY_GHR_X", "GHR", "ghr_x", "CONTAINER", "RUNNER_HOME"].filter(isReservedName)).toEqual([]);
});
