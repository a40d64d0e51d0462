import { expect, test } from "vitest";
import { filesIn, textOf } from "./support/repository.ts";

const DECLARED = /^(?:export )?(?:abstract )?(?:async )?(?:const|let|function|class|interface|type) (\w+)/gm;

/** The names that several of these files declare on their first level, each with its files. */
function declaredTwice(files: readonly { path: string; text: string }[]): [name: string, paths: string[]][] {
  const declared = files.flatMap(({ path, text }) => {
    const names = new Set(Array.from(text.matchAll(DECLARED), ([, name = ""]) => name));
    return [...names].map((name) => ({ name, path }));
  });
  return [...Map.groupBy(declared, ({ name }) => name)]
    .filter(([, all]) => all.length > 1)
    .map(([name, all]) => [name, all.map(({ path }) => path)]);
}

test("a name stands for one thing: no two files of src or the client declare the same", () => {
  const files = ["src", "client"].flatMap((folder) => filesIn(folder, ".ts"));
  expect(files.length).toBeGreaterThan(100);
  expect(declaredTwice(files.map((path) => ({ path, text: textOf(path) })))).toEqual([]);
});

test("two files that declare the same name are named", () => {
  const files = [
    { path: "a.ts", text: "const X = 1;\n  const Y = 2;\n" },
    { path: "b.ts", text: "export const X = 2;\nexport async function f() {}\n" },
    { path: "c.ts", text: "interface X {}\n  const Y = 3;\n" },
  ];
  expect(declaredTwice(files)).toEqual([["X", ["a.ts", "b.ts", "c.ts"]]]);
});
