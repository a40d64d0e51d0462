import { createHash } from "node:crypto";

/** A place in a file; lines and columns count from 0, as StrykerJS counts them. */
interface Place {
  readonly line: number;
  readonly column: number;
}

/** A mutant as StrykerJS's instrumenter makes it. */
export interface MadeMutant {
  readonly fileName: string;
  readonly mutatorName: string;
  readonly replacement: string;
  /** `Ignored`: one of a kind that is not wanted. */
  readonly status?: string | undefined;
  readonly location: { readonly start: Place; readonly end: Place };
}

/** One mutant of the sample. */
export interface DrawnMutant extends MadeMutant {
  /** Stays the same while its own text does, wherever that text moves to in its file. */
  readonly id: string;
  /** What a person reads: the line and what becomes of it. */
  readonly name: string;
}

/** Where a place lies in a text. */
function offsetOf(text: string, { line, column }: Place): number {
  const lines = text.split("\n");
  return lines.slice(0, line).reduce((sum, each) => sum + each.length + 1, 0) + column;
}

/** The text of a mutated file. */
export function mutated(text: string, { location, replacement }: MadeMutant): string {
  return text.slice(0, offsetOf(text, location.start)) + replacement + text.slice(offsetOf(text, location.end));
}

/** Gives each mutant of one file its id and its name. */
export function named(mutants: readonly MadeMutant[], text: string): DrawnMutant[] {
  const seen = new Map<string, number>();
  return mutants.map((mutant) => {
    const { start, end } = mutant.location;
    const original = text.slice(offsetOf(text, start), offsetOf(text, end));
    const change = hashOf(`${original}\n→\n${mutant.replacement}`).slice(0, 12);
    const same = `${mutant.fileName} ${mutant.mutatorName} ${change}`;
    const count = (seen.get(same) ?? 0) + 1;
    seen.set(same, count);
    const name = `${mutant.fileName}:${start.line + 1}  ${short(original)}  →  ${short(mutant.replacement)}`;
    return { ...mutant, id: `${same} ${count}`, name };
  });
}

/**
 * Draws so many: one of each file, then whichever the seed puts first. The order is the seed's, so
 * the beginning of a sample is a sample too, and code that did not change keeps its mutants.
 */
export function drawSample(mutants: readonly DrawnMutant[], count: number, seed: number): DrawnMutant[] {
  const ranked = mutants
    .map((mutant) => ({ mutant, rank: hashOf(`${seed} ${mutant.id}`) }))
    .toSorted((one, other) => (one.rank < other.rank ? -1 : 1))
    .map(({ mutant }) => mutant);
  const byFile = Map.groupBy(ranked, ({ fileName }) => fileName);
  const firsts = new Set(Array.from(byFile.values(), ([first]) => first));
  const others = ranked.filter((mutant) => !firsts.has(mutant));
  const chosen = new Set<DrawnMutant | undefined>([...firsts, ...others.slice(0, Math.max(0, count - firsts.size))]);
  return ranked.filter((mutant) => chosen.has(mutant)).slice(0, count);
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function short(text: string): string {
  const line = text.replaceAll(/\s+/g, " ");
  return line.length > 100 ? `${line.slice(0, 99)}…` : line;
}
