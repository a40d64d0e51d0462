import { expect, test } from "vitest";
import { filesIn, textOf } from "./support/repository.ts";

/** The rooms that talk with the service or with GitHub, and so may have to guess. */
const MAY_GUESS = ["src/", "client/", "simulator/", "onstart/"];
const TAG = /SPEC-SILENT(.*)/g;

const tagged = filesIn(".", ".ts", ".mjs", ".sh", ".bash", ".yml")
  .filter((file) => !file.startsWith("test/repo/"))
  .flatMap((file) => Array.from(textOf(file).matchAll(TAG), ([, rest = ""]) => ({ file, rest })));

test("guesses stand only where they are made, and say what is guessed", () => {
  console.info(`SPEC-SILENT: ${tagged.length} guesses in ${new Set(tagged.map(({ file }) => file)).size} files`);
  expect(tagged.filter(({ file }) => !MAY_GUESS.some((room) => file.startsWith(room)))).toEqual([]);
  expect(tagged.filter(({ rest }) => !/^: \S.{10,}/.test(rest))).toEqual([]);
});
