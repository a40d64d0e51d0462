/** The lines of two texts that differ, as `diff -u` marks them, each with its neighbours. */
export function diffLines(before: string, after: string): string[] {
  const [old, fresh] = [linesOf(before), linesOf(after)];
  const marked = walk(old, fresh, commonLengths(old, fresh));
  const isNear = (index: number) =>
    marked.slice(Math.max(0, index - 2), index + 3).some((line) => !line.startsWith(" "));
  return marked.filter((_, index) => isNear(index));
}

function linesOf(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}

/** How long the longest common sequence from each pair of lines on is. */
function commonLengths(old: string[], fresh: string[]): number[][] {
  const lengths = Array.from({ length: old.length + 1 }, () => new Array<number>(fresh.length + 1).fill(0));
  const at = (row: number, column: number) => lengths[row]?.[column] ?? 0;
  for (let row = old.length - 1; row >= 0; row -= 1) {
    for (let column = fresh.length - 1; column >= 0; column -= 1) {
      const longest =
        old[row] === fresh[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1));
      (lengths[row] as number[])[column] = longest;
    }
  }
  return lengths;
}

/** How far a kind of line leads in the old text, and in the new one. */
const STEPS = { " ": [1, 1], "-": [1, 0], "+": [0, 1] } as const;

function walk(old: string[], fresh: string[], lengths: number[][]): string[] {
  const marked: string[] = [];
  let row = 0;
  let column = 0;
  while (row < old.length || column < fresh.length) {
    const isCommon = row < old.length && old[row] === fresh[column];
    const mark = isCommon ? " " : markAt(lengths, row, column);
    marked.push(`${mark}${mark === "+" ? fresh[column] : old[row]}`);
    row += STEPS[mark][0];
    column += STEPS[mark][1];
  }
  return marked;
}

/** Gone or new: whatever leaves more in common. What remains of a text that is over is below every length. */
function markAt(lengths: number[][], row: number, column: number): keyof typeof STEPS {
  return (lengths[row + 1]?.[column] ?? -1) >= (lengths[row]?.[column + 1] ?? -1) ? "-" : "+";
}
