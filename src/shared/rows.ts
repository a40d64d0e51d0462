/** Returns what the first row of a table answers. Undefined: no row has an answer. */
export function firstMatch<Facts extends readonly unknown[], Answer>(
  rows: readonly ((...facts: Facts) => Answer | undefined)[],
  ...facts: Facts
): Answer | undefined {
  for (const row of rows) {
    const answer = row(...facts);
    if (answer !== undefined) return answer;
  }
  return undefined;
}
