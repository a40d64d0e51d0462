/** A number with what it counts: `1 offer`, `4 offers`. */
export function counted(count: number, one: string): string {
  return `${count} ${one}${count === 1 ? "" : "s"}`;
}
