import { appendFileSync, readFileSync } from "node:fs";

/**
 * What this repository adds to StrykerJS: only the mutants of a batch are tried, and each result is
 * in the file as soon as it is known, so that a run that was killed goes on.
 */

interface Tried {
  readonly fileName: string;
  readonly mutatorName: string;
  readonly replacement?: string;
  readonly location: { readonly start: Place; readonly end: Place };
}

interface Place {
  readonly line: number;
  readonly column: number;
}

interface Ended {
  readonly status: string;
  readonly statusReason?: string | undefined;
}

interface Batch {
  readonly kind: string;
  readonly results: string;
  /** Of each place (`placeOf`), the id of its mutant. */
  readonly ids: Readonly<Record<string, string>>;
}

/** What tells one mutant from all others of one revision; lines count from 0. */
export function placeOf({ fileName, mutatorName, replacement, location }: Tried): string {
  const file = fileName.slice(fileName.lastIndexOf("/src/") + 1);
  const { start, end } = location;
  return `${file} ${start.line}:${start.column}-${end.line}:${end.column} ${mutatorName} ${replacement}`;
}

/** What a result of StrykerJS says about the tests. */
export function endOf({ status, statusReason = "" }: Ended): string | undefined {
  // A file of tests that can't be imported is red, too.
  if (status === "RuntimeError") return statusReason.includes("out of memory") ? "exhausts memory" : "caught";
  return { Killed: "caught", Timeout: "hangs", Survived: "missed", NoCoverage: "not reached" }[status];
}

function readBatch(): Batch {
  return JSON.parse(readFileSync(process.env.MUTANTS_BATCH ?? "", "utf8"));
}

/** Refuses all mutants that are not of the batch. */
class OnlyTheBatch {
  readonly #batch = readBatch();
  async init(): Promise<void> {}
  async check(
    mutants: readonly (Tried & { id: string })[],
  ): Promise<Record<string, { status: string; reason?: string }>> {
    return Object.fromEntries(
      mutants.map((mutant) => [
        mutant.id,
        placeOf(mutant) in this.#batch.ids ? { status: "passed" } : { status: "compileError", reason: "not drawn" },
      ]),
    );
  }
}

/** Appends what became of each mutant of the batch. */
class Appended {
  readonly #batch = readBatch();
  onMutantTested(result: Tried & Ended): void {
    const { start, end: last } = result.location;
    const fromZero = ({ line, column }: Place) => ({ line: line - 1, column: column - 1 });
    const location = { start: fromZero(start), end: fromZero(last) };
    const id = this.#batch.ids[placeOf({ ...result, location })];
    const end = endOf(result);
    if (id === undefined || end === undefined) return;
    appendFileSync(this.#batch.results, `${JSON.stringify({ id, kind: this.#batch.kind, end })}\n`);
  }
}

export const strykerPlugins = [
  { kind: "Checker", name: "only-the-batch", injectableClass: OnlyTheBatch },
  { kind: "Reporter", name: "appended", injectableClass: Appended },
];
