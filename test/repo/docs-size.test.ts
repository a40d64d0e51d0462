import { expect, test } from "vitest";
import { filesIn, textOf } from "./support/repository.ts";

/** Counts the words of a page that people read: what has a letter, outside of code fences. */
function wordsIn(page: string): number {
  const prose = textOf(page).replace(/^```[\s\S]*?^```$/gm, "");
  return prose.split(/\s+/).filter((word) => /\p{L}/u.test(word)).length;
}

const docs = filesIn("docs", ".md");
const isInternal = (page: string) => page.startsWith("docs/internals/");
/** Records of decisions and the proof of each row of the specification are looked up, not read. */
const isLookedUp = (page: string) => /^docs\/internals\/(?:adr\/|seed-coverage\.md$)/.test(page);

test.each([
  ["the users' part", ["README.md", ...docs.filter((page) => !isInternal(page))], 16_000],
  ["the internals", docs.filter((page) => isInternal(page) && !isLookedUp(page)), 10_000],
])("%s can be read: at most so many words", (_, pages, most) => {
  expect(pages.length).toBeGreaterThan(8);
  const counts = pages.map((page) => ({ page, words: wordsIn(page) }));
  const sum = counts.reduce((all, { words }) => all + words, 0);
  expect(sum, JSON.stringify(counts.toSorted((a, b) => b.words - a.words))).toBeLessThanOrEqual(most);
});

test("a recipe fits on a screen: at most 70 lines", () => {
  const long = filesIn("docs/recipes", ".md").filter((page) => textOf(page).trimEnd().split("\n").length > 70);
  expect(long).toEqual([]);
});
