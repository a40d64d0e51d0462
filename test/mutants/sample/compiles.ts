import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT, unsoundFiles } from "../copy.ts";
import { type DrawnMutant, mutated } from "./draw-sample.ts";

/** How many mutants the compiler judges at once, each in a file of its own. */
const AT_ONCE = 16;

/** Says of each mutant in turn whether it compiles; `folder` is a copy of the repository. */
export function* compiling(
  mutants: readonly DrawnMutant[],
  folder: string,
): Generator<{ mutant: DrawnMutant; compiles: boolean }> {
  for (const batch of inFilesOfTheirOwn(mutants)) {
    const unsound = unsoundWith(batch, folder);
    // A fault may lie in a file that uses the mutant's: then each of the batch is judged alone.
    const isElsewhere = unsound.some((file) => !batch.some(({ fileName }) => fileName === file));
    for (const mutant of batch) {
      const isClear = !isElsewhere && !unsound.includes(mutant.fileName);
      const compiles = isClear || (batch.length > 1 && unsoundWith([mutant], folder).length === 0);
      yield { mutant, compiles };
    }
  }
}

function unsoundWith(batch: readonly DrawnMutant[], folder: string): string[] {
  const texts = batch.map((mutant) => ({ mutant, text: readFileSync(join(ROOT, mutant.fileName), "utf8") }));
  for (const { mutant, text } of texts) writeFileSync(join(folder, mutant.fileName), mutated(text, mutant));
  try {
    return unsoundFiles(folder);
  } finally {
    for (const { mutant, text } of texts) writeFileSync(join(folder, mutant.fileName), text);
  }
}

/** Batches in which no file has two mutants. */
function inFilesOfTheirOwn(mutants: readonly DrawnMutant[]): DrawnMutant[][] {
  const batches: DrawnMutant[][] = [];
  for (const mutant of mutants) {
    const free = batches.find(
      (batch) => batch.length < AT_ONCE && !batch.some(({ fileName }) => fileName === mutant.fileName),
    );
    if (free) free.push(mutant);
    else batches.push([mutant]);
  }
  return batches;
}
