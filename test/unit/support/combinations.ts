/** Every choice of one value from each list: the sweep over all small cases. */
export function combinations<Lists extends Readonly<Record<string, readonly unknown[]>>>(
  lists: Lists,
): { [Name in keyof Lists]: Lists[Name][number] }[] {
  const start: Record<string, unknown>[] = [{}];
  const all = Object.entries(lists).reduce(
    (chosen, [name, values]) => chosen.flatMap((before) => values.map((value) => ({ ...before, [name]: value }))),
    start,
  );
  return all as { [Name in keyof Lists]: Lists[Name][number] }[];
}
