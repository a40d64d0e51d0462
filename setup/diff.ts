/** The lines of two texts that differ, as `diff -u` marks them, each with its neighbours. */
export function diffLines(before: string, after: string): string[] {
  const marked = markedLines(linesOf(before), linesOf(after));
  const isNear = (index: number) =>
    marked.slice(Math.max(0, index - 2), index + 3).some((line) => !line.startsWith(" "));
  return marked.filter((_, index) => isNear(index));
}

function linesOf(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}

function markedLines(old: string[], fresh: string[]): string[] {
  const lengths = commonLengths(old, fresh);
  // What remains of a text that is over is below every length.
  const left = (row: number, column: number) => lengths[row]?.[column] ?? -1;
  const marked: string[] = [];
  for (let row = 0, column = 0; row < old.length || column < fresh.length; ) {
    // Gone or new: whatever leaves more in common.
    const isGone = left(row + 1, column) >= left(row, column + 1);
    if (row < old.length && old[row] === fresh[column]) {
      marked.push(` ${old[row++]}`);
      column += 1;
    } else marked.push(isGone ? `-${old[row++]}` : `+${fresh[column++]}`);
  }
  return marked;
}

/** How long the longest common sequence from each pair of lines on is. */
function commonLengths(old: string[], fresh: string[]): number[][] {
  const lengths = Array.from({ length: old.length + 1 }, () => new Array<number>(fresh.length + 1).fill(0));
  const at = (row: number, column: number) => lengths[row]?.[column] ?? 0;
  for (let row = old.length - 1; row >= 0; row -= 1)
    for (let column = fresh.length - 1; column >= 0; column -= 1) {
      const isCommon = old[row] === fresh[column];
      const longest = isCommon ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1));
      (lengths[row] as number[])[column] = longest;
    }
  return lengths;
}
