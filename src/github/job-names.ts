import { oneLine } from "../shared/foreign-text.ts";

const MOST_NAMES = 6;

/** Jobs by name, for a sentence: `'test (1)', 'test (2)' and 10 more`. Empty for none. */
export function jobNames(jobs: readonly { name: string }[]): string {
  const named = jobs.slice(0, MOST_NAMES).map(({ name }) => `'${oneLine(name, 100)}'`);
  const all = jobs.length > MOST_NAMES ? [...named, `${jobs.length - MOST_NAMES} more`] : named;
  const last = all.at(-1) ?? "";
  return all.length < 2 ? last : `${all.slice(0, -1).join(", ")} and ${last}`;
}
