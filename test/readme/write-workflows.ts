// Writes workflows for linters: those of README and docs to one folder, what init writes to another.
// Usage: write-workflows.ts FOLDER FOLDER_OF_INIT
import { mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { workflowFiles } from "../../setup/workflows.ts";
import { filesIn } from "../repo/support/repository.ts";
import { SETTINGS } from "../setup/support/settings.ts";
import { workflowsIn } from "./readme-workflow.ts";

const [folder, ofInit] = process.argv.slice(2);
if (folder === undefined || ofInit === undefined) throw new Error("Usage: write-workflows.ts FOLDER FOLDER_OF_INIT");
mkdirSync(folder, { recursive: true });
mkdirSync(ofInit, { recursive: true });
let written = 0;
for (const page of ["README.md", ...filesIn("docs", ".md")]) {
  for (const [path, yaml] of workflowsIn(page)) {
    writeFileSync(join(folder, `${basename(page, ".md")}--${basename(path)}`), yaml);
    written += 1;
  }
}
if (written === 0) throw new Error("No page shows a workflow.");
for (const register of ["token", "app"] as const) {
  for (const [environment, pullRequests] of [
    ["gpu", true],
    ["gpu", false],
    [undefined, true],
  ] as const) {
    const appClientId = register === "app" ? "Iv23liabc" : undefined;
    const files = workflowFiles({ ...SETTINGS, register, appClientId, environment, pullRequests });
    for (const { path, text } of files)
      writeFileSync(
        join(ofInit, `${register}-${environment ?? "none"}-${pullRequests ? "pulls" : "main"}--${basename(path)}`),
        text,
      );
    written += files.length;
  }
}
console.log(`${written} workflows`);
