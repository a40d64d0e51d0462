import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { filesIn, foldersIn, ROOT, textOf } from "./support/repository.ts";

const ROOMS = [
  ...["src", "simulator", "test"].flatMap((house) => [house, ...foldersIn(house)]),
  ...["onstart", "scripts", "docs/adr"],
];

test.each(ROOMS)("%s says in a README what is in it", (room) => {
  expect(existsSync(join(ROOT, room, "README.md")), `write ${room}/README.md, one to six lines`).toBe(true);
  expect(textOf(`${room}/README.md`).trim()).not.toBe("");
});

test("no file is called after nothing in particular", () => {
  const vague = /(?:^|[/-])(?:utils?|helpers?|common|misc|index)(?:[.-]|$)/;
  const files = ["src", "simulator", "test", "scripts"].flatMap((folder) => filesIn(folder, ".ts", ".mjs"));
  expect(files.filter((file) => vague.test(file))).toEqual([]);
  expect(
    files.filter((file) => !/^[a-z0-9/.-]+$/.test(file)),
    "kebab-case",
  ).toEqual([]);
});
