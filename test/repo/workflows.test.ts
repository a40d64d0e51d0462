import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { filesIn, textOf } from "./support/repository.ts";

interface Workflow {
  permissions?: unknown;
  jobs: Record<string, { "timeout-minutes"?: number | string; uses?: string }>;
}

const files = filesIn(".github/workflows", ".yml", ".yaml");

test("there are workflows to check", () => {
  expect(files).not.toEqual([]);
});

describe.each(files)("%s", (file) => {
  const text = textOf(file);
  const workflow = parse(text) as Workflow;

  test("uses other people's actions by commit, and says which version that is", () => {
    const uses = Array.from(text.matchAll(/^\s*(?:- )?uses:\s*(.+)$/gm), ([, used = ""]) => used);
    expect(uses.filter((used) => !/^\.\/|^[\w./-]+@[0-9a-f]{40} # v\d+(\.\d+)*$/.test(used))).toEqual([]);
  });

  test("grants nothing that it does not name", () => {
    expect(workflow.permissions).toBeDefined();
    expect(JSON.stringify(workflow.permissions)).not.toContain("write");
  });

  test("bounds the time of every job", () => {
    const unbounded = Object.entries(workflow.jobs).filter(([, job]) => !job.uses && !job["timeout-minutes"]);
    expect(unbounded.map(([name]) => name)).toEqual([]);
  });
});
