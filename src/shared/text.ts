/** Writes a number with what it counts: `1 offer`, `4 offers`. */
export function counted(count: number, one: string): string {
  return `${count} ${one}${count === 1 ? "" : "s"}`;
}

/** Lists words of which one is to be taken: `price, score or auto`. */
export function either(words: readonly string[]): string {
  return words.join(", ").replace(/, ([^,]*)$/, " or $1");
}

/** Counts the letters that one must change, add or remove to make one word of the other. */
export function editDistance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_none, index) => index);
  for (const [done, letter] of [...left].entries()) {
    const next = [done + 1];
    for (const [index, other] of [...right].entries()) {
      const changed = (row[index] ?? 0) + Number(letter !== other);
      next.push(Math.min(changed, (row[index + 1] ?? 0) + 1, (next[index] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

/** A table: its titles, then rows of as many cells. */
export type Table = readonly (readonly string[])[];

/** Writes a table as lines of Markdown. Foreign text in its cells must be made harmless before. */
export function markdownTable([titles = [], ...rows]: Table): string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(titles), `|${"---|".repeat(titles.length)}`, ...rows.map(line)];
}

/** Writes a table as lines of plain text with aligned columns. */
export function textTable(table: Table): string[] {
  const widths = (table[0] ?? []).map((_title, index) => Math.max(...table.map((row) => row[index]?.length ?? 0)));
  const line = (row: readonly string[]) => row.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join("  ");
  return table.map((row) => line(row).trimEnd());
}

/** Makes the first letter a capital. */
export function capitalized(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Cuts a text after its first sentence. The dot in 0.60, or one before a small letter, ends no sentence. */
export function firstSentence(text: string): string {
  return /^.*?[.!?](?=\s+["(]?\p{Lu}|\s*$)/u.exec(text)?.[0] ?? text;
}
