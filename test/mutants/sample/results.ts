import { existsSync, readFileSync } from "node:fs";

/** The kind of a result that says whether a mutant compiles. */
export const COMPILER = "compiler";
/** The end of one that does not. */
export const NO_CODE = "no code";

/** What became of one mutant in one kind of tests, or at the compiler. */
export interface Result {
  readonly id: string;
  readonly kind: string;
  readonly end: string;
}

/** Ends after which nobody would miss the mutant: a test is red, or the tests don't end. */
const NOTICED = new Set(["caught", "hangs", "exhausts memory"]);

/** Reads the results so far; a last line that a killed run left half is no result. */
export function readResults(file: string): Result[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, "utf8")
    .split("\n")
    .flatMap((line) => {
      try {
        return [JSON.parse(line)];
      } catch {
        return [];
      }
    });
}

/** Whether these tests notice a mutant. */
export function isNoticed({ end }: Result): boolean {
  return NOTICED.has(end);
}

/** The mutants that each of the kinds has tried, and of which the compiler does not say that they are no code. */
export function triedIds(results: readonly Result[], kinds: readonly string[]): string[] {
  return [...Map.groupBy(results, ({ id }) => id)]
    .filter(([, of]) => kinds.every((kind) => of.some((result) => result.kind === kind)))
    .filter(([, of]) => !of.some(({ end }) => end === NO_CODE))
    .map(([id]) => id);
}

/** Those of the tried mutants that none of the kinds notices. */
export function missedIds(results: readonly Result[], kinds: readonly string[]): string[] {
  const noticed = new Set(results.filter((each) => kinds.includes(each.kind) && isNoticed(each)).map(({ id }) => id));
  return triedIds(results, kinds).filter((id) => !noticed.has(id));
}
