import { expect, test } from "vitest";
import {
  ENV_LIMIT,
  EnvTooLongError,
  fittingEnv,
  jitPlaceholders,
  onstartEnv,
} from "../../../../src/machine/script/onstart-env.ts";

const SETTINGS = {
  download: {
    url: `https://github.com/actions/runner/releases/download/v2.337.0/actions-runner-linux-x64-2.337.0.tar.gz`,
    sha256: "ab".repeat(32),
  },
  apiUrl: "https://service.example.com/",
  deadline: 9_999_999_999_000,
  uptimeMs: 99_999_000,
  maxLifetime: 86_400_000,
  keepFailed: 86_400_000,
  idleTimeout: 86_400_000,
  numGpus: 16,
  repository: `${"o".repeat(39)}/${"r".repeat(100)}`,
  runId: 99_999_999_999,
  runAttempt: 999,
  setup: "",
  setupTimeout: 86_400_000,
  probe: "",
};

function refusal(env: Record<string, string>): EnvTooLongError {
  try {
    fittingEnv(env);
  } catch (error) {
    if (error instanceof EnvTooLongError) return error;
    throw error;
  }
  throw new Error("It fits.");
}

test("takes as many variables as the service does, and not one character more", () => {
  const longest = { A: "x".repeat(ENV_LIMIT - '{"A":""}'.length) };
  expect(fittingEnv(longest)).toBe(longest);
  expect(refusal({ A: `${longest.A}x` }).message).toBe(
    "The machine's variables have 32769 characters when packed; the service takes at most 32768. env takes most of what is " +
      "yours: it must be at most 32767 characters, given the others. Nothing was rented.",
  );
});

test("names the input that takes the most, and what is allowed of it", () => {
  const four = { ...SETTINGS, jitConfigs: jitPlaceholders(4) };
  expect(refusal(onstartEnv(four, { A: "x".repeat(10_000) }))).toMatchObject({
    input: "jobs-per-machine",
    message: expect.stringContaining("jobs-per-machine takes most of what is yours: it must be at most 3. "),
  });
  const fewer = onstartEnv({ ...four, jitConfigs: jitPlaceholders(3) }, { A: "x".repeat(10_000) });
  expect(fittingEnv(fewer)).toBe(fewer);

  const long = onstartEnv({ ...four, jitConfigs: jitPlaceholders(1) }, { A: "x".repeat(40_000), B: "y" });
  const { input, message } = refusal(long);
  expect(input).toBe("env");
  const allowed = Number(/it must be at most (\d+)/.exec(message)?.[1]);
  const shortened = { ...long, A: "x".repeat(allowed - '"A":"","B":"y",'.length) };
  expect(fittingEnv(shortened)).toBe(shortened);
  expect(() => fittingEnv({ ...shortened, A: `${shortened.A}x` })).toThrow(EnvTooLongError);
});

test("counts setup and probe as they are packed", () => {
  const noise = Array.from({ length: 9000 }, (_, n) => ((n * 2654435761) >>> 0).toString(36)).join("");
  expect(refusal(onstartEnv({ ...SETTINGS, jitConfigs: ["x"], setup: noise }, {})).input).toBe("setup");
  expect(refusal(onstartEnv({ ...SETTINGS, jitConfigs: ["x"], probe: noise }, {})).message).toContain(" when packed");
  const both = onstartEnv({ ...SETTINGS, jitConfigs: ["x"], setup: noise, probe: noise }, {});
  expect(refusal(both).message).toContain("it must be empty, given the others, which are too long, too. ");
});
