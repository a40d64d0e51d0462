/** Leaves of a summary what two demos have in common: its words, without numbers, bars and the rows of tables. */
export function shapeOf(summary: string): string {
  const lines = summary.split("\n").filter((line) => !/^\| (?!#)/.test(line));
  const shapes = lines.map((line) =>
    line
      .replace(/\d+[hms](?: \d+[hms])*/g, "TIME")
      .replace(/\d+(?:\.\d+)?/g, "N")
      .replace(/[█░]+/g, "BAR")
      .replace(/ {2,}/g, " "),
  );
  return shapes.filter((line, index) => line !== "" && shapes.indexOf(line) === index).join("\n");
}
