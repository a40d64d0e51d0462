import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** What a program of ours has compiled, for its next start: without it many tests compile for most of their time. */
const env = { NODE_COMPILE_CACHE: fileURLToPath(new URL("node_modules/.cache/compiled-for-tests", import.meta.url)) };

/** One project a kind of test (test/README.md): `npx vitest --project unit` runs one alone. */
function project(name: string, timeoutMs: number, more = {}) {
  const include = [`test/${name}/**/*.test.ts`];
  // What `expect.poll` waits for comes when a busy computer lets it.
  const expect = { poll: { timeout: timeoutMs, interval: 25 } };
  return { test: { name, include, env, testTimeout: timeoutMs, hookTimeout: timeoutMs, expect, ...more } };
}

/** Files that share one process: none of them leaves anything behind, and most of a file's time was its imports. */
const shared = { isolate: false };

/** What drives the action's bundles builds them first: dist need not be fresh. */
const built = { globalSetup: ["test/support/built-action.ts"] };

/** They take longest, so they begin first: else one of them runs on alone at the end. Half of them wait, half compute. */
const LONGEST = [
  "/test/onstart/exhausted.test.ts",
  "/test/stories/drawn.test.ts",
  "/test/scenarios/history.test.ts",
  "/test/contract/long-hold.test.ts",
  "/test/scenarios/runner-refused.test.ts",
  "/test/stories/evidence.test.ts",
  "/test/scenarios/giving-back.test.ts",
  "/test/repo/bill-quoted.test.ts",
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isOf = (path: string) => (file: TestSpecification) => file.moduleId.endsWith(path);
    const first = LONGEST.flatMap((path) => files.filter(isOf(path)));
    return [...first, ...(await super.sort(files.filter((file) => !first.includes(file))))];
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    // Most tests wait for simulated time, which stands still for what a computer can't keep up with:
    // three files to a core keep it busy.
    maxWorkers: Math.min(12, 3 * availableParallelism()),
    // Guards against hanging: many times what a test takes, as a computer may be busy otherwise;
    // most of all where a test only computes, as no simulated time stands still for it.
    projects: [
      project("unit", 60_000, shared),
      project("property", 600_000, { ...shared, setupFiles: ["test/property/support/seed.ts"] }),
      project("stories", 1_800_000),
      project("contract", 180_000, shared),
      project("scenarios", 300_000, { ...shared, ...built }),
      project("onstart", 300_000, shared),
      project("simulator", 180_000, { ...shared, ...built }),
      project("chaos", 180_000, { ...shared, ...built }),
      project("repo", 180_000, { ...shared, ...built }),
      project("setup", 180_000, shared),
    ],
  },
});
