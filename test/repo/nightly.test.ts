import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { ROOT, textOf } from "./support/repository.ts";

interface Job {
  permissions: unknown;
  steps: { run?: string }[];
}

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "nightly-"));
  mkdirSync(join(folder, "bin"));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A command of this name that comes first on PATH; it writes down how it was called. */
function standIn(name: string, bash = ""): void {
  writeFileSync(join(folder, "bin", name), `#!/bin/bash\necho "${name} $*" >>"${folder}/calls"\n${bash}\n`);
  chmodSync(join(folder, "bin", name), 0o755);
}

function run(script: string, args: string[]) {
  const env = { PATH: `${join(folder, "bin")}:${process.env.PATH}`, TMPDIR: folder, GITHUB_REPOSITORY: "octo/gpu" };
  const { status, stdout, stderr } = spawnSync(join(ROOT, ".ci", script), args, { encoding: "utf8", env });
  return { status, said: stdout + stderr };
}

const left = (file: string) => (existsSync(join(folder, file)) ? readFileSync(join(folder, file), "utf8") : "");

describe("fresh-seeds", () => {
  const play = (seed = "1700000001") => run("fresh-seeds", [seed, join(folder, "report")]);

  test("plays all that is drawn by this seed, and reports nothing when all goes well", () => {
    standIn("npx", 'echo "seeds $PROPERTY_SEED $STORY_SEED" >>"$TMPDIR/calls"');
    standIn("npm");
    expect(play()).toMatchObject({ status: 0, said: expect.stringContaining("seed: 1700000001") });
    expect(left("report")).toBe("");
    expect(left("calls").split("\n")).toEqual([
      "npx vitest run --project property",
      "seeds 1700000001 ",
      "npx vitest run --project stories",
      "seeds  1700000001",
      expect.stringMatching(/^npm run chaos -- --runs \d+ --seed 1700000001$/),
      "",
    ]);
  });

  test("goes on after a failure, ends red, and reports the seed with the command that shows it again", () => {
    standIn("npx", '[[ $* != *property* ]] || { echo "Counterexample: ````"; exit 1; }');
    standIn("npm", "exit 1");
    expect(play().status).toBe(1);
    expect(left("report").match(/Seed 1700000001 fails/g)).toHaveLength(2);
    expect(left("report")).toContain("\nPROPERTY_SEED=1700000001 npx vitest run --project property\n");
    expect(left("report")).toContain(" --seed 1700000001\n");
    expect(left("report").match(/^````$/gm)).toHaveLength(4);
  });

  test("takes nothing that is not a seed", () => {
    standIn("npx");
    expect(play("1; true").status).toBe(2);
    expect(left("calls")).toBe("");
  });
});

describe("open-issue", () => {
  const open = () => {
    writeFileSync(join(folder, "report"), "Seed 7 fails:\n\n[a] *\n");
    return run("open-issue", ["Nightly: a fresh seed fails", join(folder, "report")]);
  };

  test("opens an issue with the report", () => {
    standIn("gh");
    expect(open().status).toBe(0);
    expect(left("calls")).toContain(
      `gh issue create --repo octo/gpu --title Nightly: a fresh seed fails --body-file ${folder}/report`,
    );
  });

  test("adds to the issue that is open already", () => {
    standIn("gh", "[[ $2 != list ]] || echo 17");
    expect(open().status).toBe(0);
    expect(left("calls")).toContain("gh issue comment 17 --repo octo/gpu --body-file");
    expect(left("calls")).not.toContain("issue create");
  });

  test("tells nothing again, night after night", () => {
    standIn(
      "gh",
      '[[ $2 != list ]] || echo 17; [[ $2 != view ]] || printf "before\\nSeed 7 fails:\\n\\n[a] *\\nafter\\n"',
    );
    expect(open().status).toBe(0);
    expect(left("calls")).not.toMatch(/issue (?:create|comment)/);
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
