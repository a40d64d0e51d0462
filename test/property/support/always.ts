import fc from "fast-check";

/** Asserts so many times that this holds for whatever is drawn of each kind. */
export function always<Values extends [unknown, ...unknown[]]>(
  numRuns: number,
  drawn: { [Index in keyof Values]: fc.Arbitrary<Values[Index]> },
  holds: (...values: Values) => void,
): void {
  fc.assert(fc.property<Values>(...drawn, holds), { numRuns });
}
