import { readFileSync } from "node:fs";
import type { MadeMutant } from "./draw-sample.ts";
import { Results } from "./results.ts";

/**
 * What this repository adds to StrykerJS: only the mutants of a batch are tried, and each result is
 * in the file as soon as it is known, so that a run that was killed goes on.
 */

interface Batch {
  readonly kind: string;
  readonly results: string;
  /** Of each place (`placeOf`), the id of its mutant. */
  readonly ids: Readonly<Record<string, string>>;
}

/** What tells one mutant from all others of one revision, where lines count from this one. */
export function placeOf({ fileName, mutatorName, replacement, location }: MadeMutant, first = 0): string {
  const file = fileName.slice(fileName.lastIndexOf("/src/") + 1);
  const [start, end] = [location.start, location.end].map(({ line, column }) => `${line - first}:${column - first}`);
  return `${file} ${start}-${end} ${mutatorName} ${replacement}`;
}

/** What a result of StrykerJS says about the tests. */
function endOf(status = "", reason = ""): string | undefined {
  // A file of tests that can't be imported is red, too.
  if (status === "RuntimeError") return reason.includes("out of memory") ? "exhausts memory" : "caught";
  return { Killed: "caught", Timeout: "hangs", Survived: "missed", NoCoverage: "not reached" }[status];
}

function readBatch(): Batch {
  return JSON.parse(readFileSync(process.env.MUTANTS_BATCH ?? "", "utf8"));
}

/** Refuses all mutants that are not of the batch. */
class OnlyTheBatch {
  readonly #batch = readBatch();
  async init(): Promise<void> {}
  async check(mutants: readonly (MadeMutant & { id: string })[]): Promise<Record<string, object>> {
    const isOurs = (mutant: MadeMutant) => placeOf(mutant) in this.#batch.ids;
    const judged = mutants.map((mutant) => [
      mutant.id,
      isOurs(mutant) ? { status: "passed" } : { status: "compileError", reason: "not drawn" },
    ]);
    return Object.fromEntries(judged);
  }
}

/** Appends what became of each mutant of the batch. */
class Appended {
  readonly #batch = readBatch();
  onMutantTested(result: MadeMutant & { statusReason?: string }): void {
    const id = this.#batch.ids[placeOf(result, 1)];
    const end = endOf(result.status, result.statusReason);
    if (id !== undefined && end !== undefined) new Results(this.#batch.results).add(id, this.#batch.kind, end);
  }
}

export const strykerPlugins = [
  { kind: "Checker", name: "only-the-batch", injectableClass: OnlyTheBatch },
  { kind: "Reporter", name: "appended", injectableClass: Appended },
];
