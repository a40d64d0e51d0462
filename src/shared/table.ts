/** A table: its titles, then rows of as many cells. */
export type Table = readonly (readonly string[])[];

/** Its lines in Markdown. What others wrote in a cell must be made harmless before. */
export function markdownTable([titles = [], ...rows]: Table): string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(titles), `|${"---|".repeat(titles.length)}`, ...rows.map(line)];
}

/** Its lines as plain text, aligned. */
export function textTable(table: Table): string[] {
  const widths = (table[0] ?? []).map((_title, index) => Math.max(...table.map((row) => row[index]?.length ?? 0)));
  return table.map((row) =>
    row
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}
