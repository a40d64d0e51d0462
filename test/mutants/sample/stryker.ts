import type { SpawnOptions } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ROOT } from "../copy.ts";
import { runGroup } from "../group.ts";
import { type DrawnMutant, type MadeMutant, named } from "./draw-sample.ts";
import { placeOf } from "./stryker-plugin.ts";

const PACKAGES = join(ROOT, "test/mutants/node_modules/@stryker-mutator");
/** Texts that people read are no decisions, and most of what StrykerJS would change. */
const EXCLUDED = ["StringLiteral"];

interface Instrumenter {
  instrument(files: readonly object[], options: object): Promise<{ mutants: MadeMutant[] }>;
}

/** Makes every mutant of src/. */
export async function makeMutants(): Promise<DrawnMutant[]> {
  const { Instrumenter: Made } = await import(pathToFileURL(join(PACKAGES, "instrumenter/dist/src/index.js")).href);
  const silent = { debug() {}, info() {}, isDebugEnabled: () => false };
  const instrumenter: Instrumenter = new Made(silent);
  const made = globSync("src/**/*.ts", { cwd: ROOT })
    .toSorted()
    .map(async (name) => {
      const content = readFileSync(join(ROOT, name), "utf8");
      const options = { plugins: null, excludedMutations: EXCLUDED, ignorers: [] };
      const { mutants } = await instrumenter.instrument([{ name, mutate: true, content }], options);
      return named(
        mutants.filter(({ status }) => status !== "Ignored"),
        content,
      );
    });
  return (await Promise.all(made)).flat();
}

/** What StrykerJS is told. */
function optionsOf(batch: readonly DrawnMutant[], folder: string): object {
  const plugin = join(ROOT, "test/mutants/sample/stryker-plugin.ts");
  return {
    testRunner: "vitest",
    plugins: [join(PACKAGES, "vitest-runner/dist/src/index.js"), plugin],
    checkers: ["only-the-batch"],
    reporters: ["appended"],
    // Whole lines: what else lies on them is refused by the checker.
    mutate: batch.map(({ fileName, location }) => `${fileName}:${location.start.line + 1}-${location.end.line + 1}`),
    mutator: { excludedMutations: EXCLUDED },
    vitest: { configFile: "test/mutants/sample/vitest-of-kind.ts", related: false },
    coverageAnalysis: "perTest",
    concurrency: 1,
    // TypeScript 7 has no API in JavaScript, by which StrykerJS would read tsconfig.json.
    tsconfigFile: "none",
    disableTypeChecks: false,
    tempDirName: folder,
    cleanTempDir: "always",
    // A busy computer is slow, and a mutant that hangs is rare.
    dryRunTimeoutMinutes: 30,
    timeoutMS: 60_000,
    timeoutFactor: 4,
    testRunnerNodeArgs: ["--max-old-space-size=3072"],
    allowConsoleColors: false,
    logLevel: "warn",
  };
}

/** Tries a batch with one kind of tests; appends the results. False: ended because time was up. */
export async function tryBatch(
  batch: readonly DrawnMutant[],
  { kind, results, until }: { kind: string; results: string; until: number },
): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), "sample-"));
  const batchFile = join(folder, "batch.json");
  const configFile = join(folder, "stryker.config.json");
  const ids = Object.fromEntries(batch.map((mutant) => [placeOf(mutant), mutant.id]));
  writeFileSync(batchFile, JSON.stringify({ kind, results, ids }));
  writeFileSync(configFile, JSON.stringify(optionsOf(batch, join(folder, "sandbox"))));
  const options: SpawnOptions = {
    cwd: ROOT,
    env: { ...process.env, MUTANTS_KIND: kind, MUTANTS_BATCH: batchFile },
    stdio: ["ignore", "inherit", "inherit"],
  };
  try {
    const left = Math.max(0, until - Date.now());
    const { code, isLate } = await runGroup([join(PACKAGES, "core/bin/stryker.js"), "run", configFile], left, options);
    if (code !== 0 && !isLate) throw new Error(`StrykerJS ended with code ${code}.`);
    return !isLate;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
