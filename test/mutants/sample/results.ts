import { appendFileSync, existsSync, readFileSync } from "node:fs";

/** The kinds of tests in process, cheapest first: each tries what none before it noticed. */
export const KINDS: readonly string[] = ["unit", "contract", "property"];
/** The kinds that play the whole action. */
export const OTHER_KINDS = ["stories", "scenarios", "chaos", "onstart"] as const;
/** The kind of a result that says whether a mutant compiles, and the end of one that does not. */
export const COMPILER = "compiler";
export const NO_CODE = "no code";

/** Ends after which nobody would miss the mutant: a test is red, or the tests don't end. */
const NOTICED = new Set(["caught", "hangs", "exhausts memory"]);

/** What became of the mutants, in a file that has each result at once: a run that was killed goes on. */
export class Results {
  readonly file: string;

  constructor(file: string) {
    this.file = file;
  }

  /** Writes down how a mutant ended in one kind of tests, or at the compiler. */
  add(id: string, kind: string, end: string): void {
    appendFileSync(this.file, `${JSON.stringify({ id, kind, end })}\n`);
  }

  /** Reads the ends of each mutant by kind; a last line that a killed run left half is no result. */
  read(): (id: string) => ReadonlyMap<string, string> {
    const ends = new Map<string, Map<string, string>>();
    const lines = existsSync(this.file) ? readFileSync(this.file, "utf8").split("\n") : [];
    for (const line of lines.filter((each) => each.endsWith("}"))) {
      const { id, kind, end } = JSON.parse(line) as Record<"id" | "kind" | "end", string>;
      ends.set(id, (ends.get(id) ?? new Map()).set(kind, end));
    }
    return (id) => ends.get(id) ?? new Map();
  }
}

/** Whether one of these kinds, by default any, notices a mutant that ended so. */
export function isNoticed(ends: ReadonlyMap<string, string>, kinds: readonly string[] = [...ends.keys()]): boolean {
  return kinds.some((kind) => NOTICED.has(ends.get(kind) ?? ""));
}

/** Whether a kind in process noticed it, or all have tried it and the compiler does not say that it is no code. */
export function isTried(ends: ReadonlyMap<string, string>): boolean {
  return isNoticed(ends, KINDS) || (KINDS.every((kind) => ends.has(kind)) && ends.get(COMPILER) !== NO_CODE);
}
