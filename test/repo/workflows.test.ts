import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { filesIn, textOf } from "./support/repository.ts";

interface Job {
  permissions: unknown;
  steps: { run?: string }[];
}

interface Workflow {
  jobs: Record<string, { "timeout-minutes"?: number | string; uses?: string }>;
}

const files = filesIn(".github/workflows", ".yml", ".yaml");

describe.each(files)("%s", (file) => {
  const text = textOf(file);
  const workflow = parse(text) as Workflow;

  test("uses other people's actions by commit, and says which version that is", () => {
    const uses = Array.from(text.matchAll(/^\s*(?:- )?uses:\s*(.+)$/gm), ([, used = ""]) => used);
    expect(uses.filter((used) => !/^\.\/|^[\w./-]+@[0-9a-f]{40} # v\d+(\.\d+)*$/.test(used))).toEqual([]);
  });

  test("bounds the time of every job", () => {
    const unbounded = Object.entries(workflow.jobs).filter(([, job]) => !job.uses && !job["timeout-minutes"]);
    expect(unbounded.map(([name]) => name)).toEqual([]);
  });
});

test("no job that may write runs code of packages", () => {
  const { jobs } = parse(textOf(".github/workflows/nightly.yml"));
  const writing = Object.entries<Job>(jobs).filter(([, job]) => JSON.stringify(job.permissions).includes("write"));
  expect(writing.map(([name]) => name)).toEqual(["issue", "client"]);
  for (const [, job] of writing)
    for (const { run = "" } of job.steps) expect(run).not.toMatch(/npm|npx|pip3? install|pip wheel/);
  expect(JSON.stringify(jobs.client)).toContain("pip download --quiet --no-deps --only-binary :all: ");
});

test("a pull request is judged by fixed seeds: no script of CI draws one, nor takes it from the commit", () => {
  const run = textOf(".ci/run");
  expect(run).not.toMatch(/rev-parse|RANDOM|date \+|fresh-seeds|STORY_SEED|PROPERTY_SEED/);
  for (const [, line = ""] of run.matchAll(/(npm run chaos -- .*)/g)) expect(line).toMatch(/--seed \d+$/);
  expect(textOf(".github/workflows/nightly.yml")).toContain(".ci/fresh-seeds");
});

test("the suite runs once in CI", () => {
  const workflows = ["ci", "check-dist"].map((name) => textOf(`.github/workflows/${name}.yml`)).join("\n");
  expect(workflows).not.toContain("npm test");
  expect(workflows.match(/\.ci\/run$/gm)).toHaveLength(1);
  expect(textOf(".ci/run").match(/^ *npm test /gm)).toHaveLength(1);
});
