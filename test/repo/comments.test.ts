import { expect, test } from "vitest";
import { filesIn, textOf } from "./support/repository.ts";

const MARK = /^\s*(?:\/\/|\/?\*+(?!\/)|#)\s*/;

interface Comment {
  where: string;
  line: string;
  /** Without the mark that makes it a comment. */
  text: string;
  /** Not the next line of a sentence. */
  isFirst: boolean;
}

/** The lines of a file that are comments and nothing else. */
function commentsIn(file: string): Comment[] {
  const mark = /\.(?:ts|mjs)$/.test(file) ? /^\s*(?:\/\/|\/\*|\*(?=[\s/]|$))/ : /^\s*#/;
  const lines = textOf(file).split("\n");
  return lines.flatMap((line, index) => {
    if (!mark.test(line)) return [];
    const before = lines[index - 1] ?? "";
    const isFirst = !mark.test(before) || before.replace(MARK, "") === "";
    return [{ where: `${file}:${index + 1}`, line, text: line.replace(MARK, ""), isFirst }];
  });
}

const comments = [...new Set([...filesIn(".", ".ts", ".mjs", ".sh", ".bash"), ...filesIn(".ci")])].flatMap(commentsIn);

test("comments fit 100 columns", () => {
  expect(comments.length).toBeGreaterThan(2000);
  expect(comments.filter(({ line }) => line.length > 100).map(({ where }) => where)).toEqual([]);
});

test("comments begin with their subject", () => {
  expect(comments.filter(({ isFirst, text }) => isFirst && /^What\b/.test(text)).map(({ where }) => where)).toEqual([]);
});
