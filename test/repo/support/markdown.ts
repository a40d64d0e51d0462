/**
 * The text below a heading, up to the next of its level or above; comments in code are none. Throws
 * when there is no such heading.
 */
export function section(markdown: string, heading: string): string {
  const level = heading.split(" ")[0]?.length ?? 0;
  const lines = markdown.split("\n");
  const start = lines.indexOf(heading);
  if (start < 0) throw new Error(`There is no heading "${heading}".`);
  const rest = lines.slice(start + 1);
  let isCode = false;
  const end = rest.findIndex((line) => {
    if (line.startsWith("```")) isCode = !isCode;
    return !isCode && /^#+ /.test(line) && line.indexOf(" ") <= level;
  });
  return rest.slice(0, end < 0 ? undefined : end).join("\n");
}

/** The first table of a text: one array of cells a row, without the head. */
export function tableRows(markdown: string): string[][] {
  const lines = markdown.split("\n");
  const head = lines.findIndex((line) => /^\|[-:| ]+\|$/.test(line));
  if (head < 0) throw new Error("There is no table.");
  const rest = lines.slice(head + 1);
  const end = rest.findIndex((line) => !line.startsWith("|"));
  return rest.slice(0, end < 0 ? undefined : end).map((line) =>
    line
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim()),
  );
}

/** The text between a cell's backticks; the cell itself when it has none. */
export function withoutBackticks(cell: string): string {
  return /^`(.*)`$/.exec(cell)?.[1] ?? cell;
}
