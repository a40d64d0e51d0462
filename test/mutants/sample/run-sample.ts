import { appendFileSync, mkdirSync, rmSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { parseArgs } from "node:util";
import { copyRepository } from "../copy.ts";
import { compiling } from "./compiles.ts";
import { type DrawnMutant, drawSample } from "./draw-sample.ts";
import { readResults } from "./results.ts";
import { makeMutants, tryBatch } from "./stryker.ts";

interface Options {
  readonly count: number;
  readonly seed: number;
  readonly kinds: readonly string[];
  readonly batch: number;
  readonly results: string;
  /** In milliseconds since the epoch. */
  readonly until: number;
  readonly shard: readonly [number, number];
}

function readOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      count: { type: "string", default: "2000" },
      seed: { type: "string", default: "1" },
      kinds: { type: "string", default: "unit,contract,property" },
      batch: { type: "string", default: "250" },
      results: { type: "string", default: ".tmp/mutants.jsonl" },
      minutes: { type: "string", default: "120" },
      shard: { type: "string", default: "1/1" },
    },
  });
  const [part = 1, of = 1] = values.shard.split("/").map(Number);
  return {
    count: Number(values.count),
    seed: Number(values.seed),
    kinds: values.kinds.split(","),
    batch: Number(values.batch),
    results: resolve(values.results),
    until: Date.now() + Number(values.minutes) * 60_000,
    shard: [part, of],
  };
}

/** `npm run mutants -- sample`: tries the sample batch by batch; goes on where an earlier run was ended. */
export async function runSample(args: string[]): Promise<void> {
  const options = readOptions(args);
  const [part, of] = options.shard;
  const sample = drawSample(await makeMutants(), options.count, options.seed).filter((_, i) => i % of === part - 1);
  mkdirSync(dirname(options.results), { recursive: true });
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
  judge(batch, results, folder);
  for (const kind of kinds) {
    const known = readResults(results);
    const over = new Set(known.filter((each) => each.kind === kind || each.end === "no code").map(({ id }) => id));
    const left = batch.filter(({ id }) => !over.has(id));
    console.log(`${new Date().toISOString()} ${kind}: ${left.length} of ${batch.length} to try`);
    if (left.length > 0 && !(await tryBatch(left, { kind, results, until }))) return false;
  }
  return true;
}

/** Asks the compiler about those of a batch that it was not asked about. */
function judge(batch: readonly DrawnMutant[], results: string, folder: string): void {
  const known = new Set(
    readResults(results)
      .filter(({ kind }) => kind === "compiler")
      .map(({ id }) => id),
  );
  const unknown = batch.filter(({ id }) => !known.has(id));
  for (const [{ id }, isSound] of compiling(unknown, folder)) {
    appendFileSync(results, `${JSON.stringify({ id, kind: "compiler", end: isSound ? "compiles" : "no code" })}\n`);
  }
}
