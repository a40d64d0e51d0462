import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { copyRepository, ROOT } from "../copy.ts";
import { compiling } from "./compiles.ts";
import { type DrawnMutant, drawSample } from "./draw-sample.ts";
import { figuresOf, toPlay } from "./figures.ts";
import { OTHER_KINDS, playSurvivors } from "./play-survivors.ts";
import { COMPILER, missedIds, NO_CODE, readResults } from "./results.ts";
import { makeMutants, tryBatch } from "./stryker.ts";

interface Options {
  readonly count: number;
  readonly seed: number;
  /** Only files whose path begins so. */
  readonly under: string;
  readonly kinds: readonly string[];
  readonly batch: number;
  readonly results: string;
  /** In milliseconds since the epoch. */
  readonly until: number;
  /** So many of those that nobody noticed are played elsewhere. */
  readonly play: number;
  readonly shard: readonly [number, number];
}

function readOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      count: { type: "string", default: "2000" },
      seed: { type: "string", default: "1" },
      under: { type: "string", default: "src/" },
      kinds: { type: "string", default: "unit,contract,property" },
      batch: { type: "string", default: "250" },
      results: { type: "string", default: ".tmp/mutants.jsonl" },
      minutes: { type: "string", default: "120" },
      play: { type: "string", default: "150" },
      shard: { type: "string", default: "1/1" },
    },
  });
  const [part = 1, of = 1] = values.shard.split("/").map(Number);
  return {
    count: Number(values.count),
    seed: Number(values.seed),
    under: values.under,
    kinds: values.kinds.split(","),
    batch: Number(values.batch),
    results: resolve(values.results),
    until: Date.now() + Number(values.minutes) * 60_000,
    play: Number(values.play),
    shard: [part, of],
  };
}

/**
 * `npm run mutants -- sample` tries the sample batch by batch, `survivors` plays those that nobody noticed
 * elsewhere, `figures` writes what is known. Each goes on where an earlier run was ended.
 */
export async function runSample(command: "sample" | "survivors" | "figures", args: string[]): Promise<void> {
  const options = readOptions(args);
  mkdirSync(dirname(options.results), { recursive: true });
  const made = (await makeMutants()).filter(({ fileName }) => fileName.startsWith(options.under));
  const sample = drawSample(made, options.count, options.seed);
  const [part, of] = options.shard;
  const isOurs = (_mutant: DrawnMutant, at: number) => at % of === part - 1;
  if (command === "sample") return await trySample(sample.filter(isOurs), options);
  const results = readResults(options.results);
  const missed = toPlay(sample, results, options.kinds).slice(0, options.play);
  if (command === "survivors") return await playSurvivors(missed.filter(isOurs), options);
  const commit = execFileSync("git", ["rev-parse", "--short=8", "HEAD"], { cwd: ROOT, encoding: "utf8" }).trim();
  const { seed, kinds } = options;
  const figures = figuresOf(sample, results, { commit, seed, kinds, others: OTHER_KINDS });
  writeFileSync(join(ROOT, "test/mutants/figures.json"), `${JSON.stringify(figures, undefined, 2)}\n`);
}

async function trySample(sample: readonly DrawnMutant[], options: Options): Promise<void> {
  const folder = copyRepository();
  try {
    for (let start = 0; start < sample.length; start += options.batch) {
      const isDone = await tryAll(sample.slice(start, start + options.batch), options, folder);
      if (!isDone) return console.log("Time is up. The same command goes on.");
    }
    console.log("The sample is complete.");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function tryAll(batch: readonly DrawnMutant[], options: Options, folder: string): Promise<boolean> {
  const { kinds, results, until } = options;
  for (const kind of kinds) {
    const over = new Set(
      readResults(results)
        .filter((each) => each.kind === kind)
        .map(({ id }) => id),
    );
    const left = batch.filter(({ id }) => !over.has(id));
    console.log(`${new Date().toISOString()} ${kind}: ${left.length} of ${batch.length} to try`);
    if (left.length > 0 && !(await tryBatch(left, { kind, results, until }))) return false;
  }
  judge(batch, options, folder);
  return true;
}

/** Asks the compiler about those that nobody noticed: one that does not compile would never get as far as a test. */
function judge(batch: readonly DrawnMutant[], { kinds, results }: Options, folder: string): void {
  const known = readResults(results);
  const missed = new Set(missedIds(known, kinds));
  const judged = new Set(known.filter(({ kind }) => kind === COMPILER).map(({ id }) => id));
  const unknown = batch.filter(({ id }) => missed.has(id) && !judged.has(id));
  for (const { mutant, compiles } of compiling(unknown, folder)) {
    const end = compiles ? "missed" : NO_CODE;
    appendFileSync(results, `${JSON.stringify({ id: mutant.id, kind: COMPILER, end })}\n`);
  }
}
