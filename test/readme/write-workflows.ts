// Writes the workflows of README and docs to a folder for linters. Usage: write-workflows.ts FOLDER
import { mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { filesIn } from "../repo/support/repository.ts";
import { workflowsIn } from "./readme-workflow.ts";

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("Usage: write-workflows.ts FOLDER");
mkdirSync(folder, { recursive: true });
let written = 0;
for (const page of ["README.md", ...filesIn("docs", ".md")]) {
  for (const [path, yaml] of workflowsIn(page)) {
    writeFileSync(join(folder, `${basename(page, ".md")}--${basename(path)}`), yaml);
    written += 1;
  }
}
if (written === 0) throw new Error("No page shows a workflow.");
console.log(`${written} workflows`);
