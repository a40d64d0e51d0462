import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";

/** In a checkout, not in the repository: each made by npm, or by a command of package.json. */
const MADE_HERE = ["lib", "node_modules", "test/mutants/node_modules", "coverage", ".tmp"];

test("git ignores nothing that a clean clone would lack", () => {
  const ignored = execFileSync("git", ["ls-files", "--others", "--ignored", "--exclude-standard", "--directory"], {
    encoding: "utf8",
  });
  const unexpected = ignored
    .split("\n")
    .map((path) => path.replace(/\/$/, ""))
    .filter((path) => path !== "" && !MADE_HERE.includes(path));
  expect(unexpected).toEqual([]);
});
