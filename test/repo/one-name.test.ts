import { expect, test } from "vitest";
import { filesIn, textOf } from "./support/repository.ts";

const DECLARED = /^(?:export )?(?:abstract )?(?:async )?(?:const|let|function|class|interface|type) (\w+)/gm;

test("a name stands for one thing: no two files of src or the client declare the same", () => {
  const files = ["src", "client"].flatMap((folder) => filesIn(folder, ".ts"));
  const declared = files.flatMap((path) => {
    const names = new Set(Array.from(textOf(path).matchAll(DECLARED), ([, name = ""]) => name));
    return [...names].map((name) => ({ name, path }));
  });
  expect(declared.length).toBeGreaterThan(500);
  const twice = [...Map.groupBy(declared, ({ name }) => name)].filter(([, all]) => all.length > 1);
  expect(twice.map(([name, all]) => [name, all.map(({ path }) => path)])).toEqual([]);
});
