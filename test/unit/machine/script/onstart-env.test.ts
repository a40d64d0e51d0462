import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import * as onstart from "../../../../src/machine/script/onstart-env.ts";
import { textOf } from "../../../repo/support/repository.ts";

const { ENV_LIMIT, EnvTooLongError, fittingEnv, isReservedName, jitPlaceholders, onstartEnv } = onstart;

const SETTINGS = {
  ...{ jitConfigs: ["c2VjcmV0"], apiUrl: "https://service.example.com/", numGpus: 2 },
  download: { url: "https://example.com/runner.tar.gz", sha256: "ab".repeat(32) },
  ...{ deadline: 1_795_000_000_900, uptimeMs: 8_100_200, maxLifetime: 3_600_500, keepFailed: 0, idleTimeout: 300_000 },
  ...{ repository: "owner/repo", runId: 42, runAttempt: 1, setup: "", setupTimeout: 600_000, probe: "" },
};
const FOUR = ["a", "b", "c", "d"];

function unpacked(text = ""): string {
  return gunzipSync(Buffer.from(text, "base64")).toString();
}

function refusal(env: Record<string, string>): InstanceType<typeof EnvTooLongError> {
  try {
    fittingEnv(env);
  } catch (error) {
    if (error instanceof EnvTooLongError) return error;
    throw error;
  }
  throw new Error("It fits.");
}

test("has whole numbers, a base URL without a slash at its end, and the user's variables, over which its own win", () => {
  const { GHR_WORK, ...env } = onstartEnv(SETTINGS, { HF_HOME: "/data/hf", GHR_DEADLINE: "9999999999" });
  expect(unpacked(GHR_WORK)).toContain("\nprove_key() {\n");
  expect(env).toEqual({
    ...{ HF_HOME: "/data/hf", GHR_JIT: "c2VjcmV0", GHR_API_URL: "https://service.example.com", GHR_NUM_GPUS: "2" },
    ...{ GHR_RUNNER_URL: "https://example.com/runner.tar.gz", GHR_RUNNER_SHA256: "ab".repeat(32) },
    ...{ GHR_DEADLINE: "1795000000", GHR_MAX_UPTIME: "8101", GHR_MAX_LIFETIME: "3601" },
    ...{ GHR_KEEP_FAILED: "0", GHR_IDLE_TIMEOUT: "300" },
    ...{ GHR_REPOSITORY: "owner/repo", GHR_RUN_ID: "42", GHR_RUN_ATTEMPT: "1" },
  });
});

test("gives the scripts all variables that they read, and no other", () => {
  const scripts = ["bootstrap", "work", "runners", "figures"].map((name) => textOf(`onstart/${name}.sh`)).join("");
  const read = new Set(scripts.match(/\bGHR_[A-Z0-9]+(?:_[A-Z0-9]+)*\b/g));
  // Where its files are is the script's own default; what is heard, it finds out.
  for (const own of ["GHR_ROOT", "GHR_SIGNAL"]) read.delete(own);
  const all = { ...SETTINGS, jitConfigs: FOUR, setup: "x", probe: "x", gpuFigures: true };
  expect([...read].sort()).toEqual(Object.keys(onstartEnv(all, {})).sort());
});

test("reserves the names of the bootstrap, the service and the runner", () => {
  const names = ["GHR_ROOT", "CONTAINER_API_KEY", "CONTAINER_ID", "ACTIONS_RUNNER_INPUT_JITCONFIG"];
  expect(names.filter(isReservedName)).toEqual(names);
  expect(["HF_HOME", "MY_GHR_X", "GHR", "ghr_x", "CONTAINER", "RUNNER_HOME"].filter(isReservedName)).toEqual([]);
});

test("takes as many variables as the service does, and not one character more", () => {
  const longest = { A: "x".repeat(ENV_LIMIT - '{"A":""}'.length) };
  expect(fittingEnv(longest)).toBe(longest);
  expect(refusal({ A: `${longest.A}x` }).message).toBe(
    "The machine's variables have 32769 characters when packed; the service takes at most 32768. env takes most of what is " +
      "yours: it must be at most 32767 characters, given the others. Nothing was rented.",
  );
});

test("names the input that takes the most, and what is allowed of it", () => {
  const withJobs = (jobs: number, user: Record<string, string>) =>
    onstartEnv({ ...SETTINGS, jitConfigs: jitPlaceholders(jobs) }, user);
  const tooMany = refusal(withJobs(4, { A: "x".repeat(10_000) }));
  expect(tooMany.input).toBe("jobs-per-machine");
  expect(tooMany.message).toContain("jobs-per-machine takes most of what is yours: it must be at most 3. ");
  expect(() => fittingEnv(withJobs(3, { A: "x".repeat(10_000) }))).not.toThrow();

  const long = withJobs(1, { A: "x".repeat(40_000), B: "y" });
  const { input, message } = refusal(long);
  expect(input).toBe("env");
  const allowed = Number(/it must be at most (\d+)/.exec(message)?.[1]);
  const shortened = { ...long, A: "x".repeat(allowed - '"A":"","B":"y",'.length) };
  expect(fittingEnv(shortened)).toBe(shortened);
  expect(() => fittingEnv({ ...shortened, A: `${shortened.A}x` })).toThrow(EnvTooLongError);
});

test("counts setup and probe as they are packed", () => {
  const noise = Array.from({ length: 9000 }, (_, n) => ((n * 2654435761) >>> 0).toString(36)).join("");
  const refused = (given: object) => refusal(onstartEnv({ ...SETTINGS, ...given }, {}));
  expect(refused({ setup: noise }).input).toBe("setup");
  expect(refused({ probe: noise }).message).toContain(" when packed");
  const { message } = refused({ setup: noise, probe: noise });
  expect(message).toContain("it must be empty, given the others, which are too long, too. ");
});
