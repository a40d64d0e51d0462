import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { Copy, ROOT } from "../copy.ts";
import { type DrawnMutant, drawSample, mutated } from "./draw-sample.ts";
import { figuresOf } from "./figures.ts";
import { COMPILER, isNoticed, isTried, KINDS, OTHER_KINDS, Results } from "./results.ts";
import { makeMutants, tryBatch } from "./stryker.ts";

/** Each batch runs the tests of each kind once without a mutant. */
const BATCH = 250;

const OPTIONS = {
  count: { type: "string", default: "2000" },
  seed: { type: "string", default: "1" },
  under: { type: "string", default: "src/" },
  results: { type: "string", default: ".tmp/mutants.jsonl" },
  minutes: { type: "string", default: "120" },
  play: { type: "string", default: "0" },
  shard: { type: "string", default: "1/1" },
  record: { type: "boolean", default: false },
} as const;

/** A sample, where its results are, and the moment in milliseconds at which its time is up. */
interface Run {
  readonly sample: readonly DrawnMutant[];
  readonly results: Results;
  readonly until: number;
}

/** `npm run mutants -- sample`: tries the drawn mutants, and prints what is known. Goes on where an earlier run was ended. */
export async function trySample(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: OPTIONS });
  const seed = Number(values.seed);
  const [part = 1, of = 1] = values.shard.split("/").map(Number);
  const made = (await makeMutants()).filter(({ fileName }) => fileName.startsWith(values.under));
  const sample = drawSample(made, Number(values.count), seed).filter((_mutant, at) => at % of === part - 1);
  const results = new Results(resolve(values.results));
  mkdirSync(dirname(results.file), { recursive: true });
  const run = { sample, results, until: Date.now() + Number(values.minutes) * 60_000 };
  using copy = new Copy();
  const isDone =
    (await tryInProcess(run)) &&
    (await askFurther(run, copy, [COMPILER], sample.length)) &&
    (await askFurther(run, copy, OTHER_KINDS, Number(values.play)));
  const figures = `${JSON.stringify(figuresOf(sample, seed, results), undefined, 2)}\n`;
  console.log(`${figures}${isDone ? "The sample is complete." : "Time is up. The same command goes on."}`);
  if (values.record) writeFileSync(join(ROOT, "test/mutants/figures.json"), figures);
}

/** Tries all by the kinds in process, each until one notices it. False: time was up. */
async function tryInProcess({ sample, results, until }: Run): Promise<boolean> {
  for (let start = 0; start < sample.length; start += BATCH) {
    const batch = sample.slice(start, start + BATCH);
    for (const kind of KINDS) {
      const endsOf = results.read();
      const left = batch.filter(({ id }) => !endsOf(id).has(kind) && !isNoticed(endsOf(id), KINDS));
      console.log(`${new Date().toISOString()} ${kind}: ${left.length} of ${batch.length} to try`);
      if (left.length > 0 && !(await tryBatch(left, { kind, results: results.file, until }))) return false;
    }
  }
  return true;
}

/** Asks these about so many of those that nobody noticed in process, until one notices. False: time was up. */
async function askFurther({ sample, results, until }: Run, copy: Copy, kinds: readonly string[], most: number) {
  const before = results.read();
  const missed = sample.filter(({ id }) => isTried(before(id)) && !isNoticed(before(id), KINDS));
  for (const mutant of missed.slice(0, most))
    for (const kind of kinds) {
      const ends = results.read()(mutant.id);
      if (ends.has(kind) || isNoticed(ends)) continue;
      if (Date.now() >= until) return false;
      const change = (text: string) => mutated(text, mutant);
      // One that does not compile would never get as far as a test.
      const work = () => (kind === COMPILER ? copy.compile() : copy.play(kind));
      results.add(mutant.id, kind, await copy.broken(mutant.fileName, change, work));
    }
  return true;
}
