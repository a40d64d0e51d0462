import { defineConfig } from "vitest/config";

/** One project a kind of test (test/README.md): `npx vitest --project unit` runs one alone. */
function project(name: string, timeoutMs: number, more = {}) {
  const include = [`test/${name}/**/*.test.ts`];
  return { test: { name, include, testTimeout: timeoutMs, hookTimeout: timeoutMs, ...more } };
}

export default defineConfig({
  test: {
    // Most tests wait for simulated time: three files side by side are no burden for two cores.
    maxWorkers: 3,
    projects: [
      project("unit", 10_000),
      project("property", 30_000, { setupFiles: ["test/property/support/seed.ts"] }),
      // Processor time, not waiting: a machine that is busy otherwise takes several times as long.
      project("model", 600_000),
      project("stories", 300_000),
      project("contract", 30_000),
      // Many times what they take: on a busy computer simulated time passes more slowly.
      project("scenarios", 300_000),
      project("onstart", 60_000),
      project("simulator", 120_000),
      project("chaos", 30_000),
      project("repo", 30_000),
    ],
  },
});
