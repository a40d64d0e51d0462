// Writes workflows for linters: those of README and docs to one folder, what init writes to another.
// Usage: write-workflows.ts FOLDER FOLDER_OF_INIT
import { mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { workflowFiles } from "../../setup/workflows.ts";
import { filesIn } from "../repo/support/repository.ts";
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
    const files = workflowFiles({
      gpu: "RTX 4090",
      maxPrice: 0.6,
      maxCost: 2,
      image: "pytorch/pytorch:2.8.0-cuda12.8-cudnn9-runtime",
      command: "pip install -e . pytest\npytest -m gpu",
      register,
      appClientId: register === "app" ? "Iv23liabc" : undefined,
      environment,
      pullRequests,
      defaultBranch: "main",
      // As a packed program names its release.
      action: {
        repository: "acme/ephemeral-gpu-runner",
        ref: "0123456789abcdef".repeat(3).slice(0, 40),
        version: "v1.0.0",
      },
    });
    for (const { path, text } of files)
      writeFileSync(
        join(ofInit, `${register}-${environment ?? "none"}-${pullRequests ? "pulls" : "main"}--${basename(path)}`),
        text,
      );
    written += files.length;
  }
}
console.log(`${written} workflows`);
