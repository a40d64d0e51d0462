/** How many letters are another, too many or missing. */
export function slips(left: string, right: string): number {
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
