import type { Rule } from "./rule.ts";

/** A row of issue 24's table that the code does not meet yet, and the rules that it breaks for it. */
export interface KnownRed {
  why: string;
  breaks: readonly Rule[];
}

/**
 * Who mends a row deletes it here. A row that passes and is still here fails the suite; drawn
 * stories may break the rules of the rows that are here, and no others.
 */
export const KNOWN_RED: Readonly<Record<string, KnownRed>> = {};

/** Rules that drawn stories may break for now. */
export function brokenForNow(): ReadonlySet<Rule> {
  return new Set(Object.values(KNOWN_RED).flatMap(({ breaks }) => breaks));
}
