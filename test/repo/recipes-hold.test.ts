import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { filesIn, textOf } from "./support/repository.ts";
import { COPIED, type Workflow } from "./support/workflows.ts";

function recipe(page: string, file: string): Workflow {
  const found = COPIED.find(({ name }) => name === `docs/recipes/${page}: .github/workflows/${file}`);
  if (found === undefined) throw new Error(`${page} has no ${file}.`);
  return found;
}

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "recipe-"));
  mkdirSync(join(folder, "bin"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A command of this name that comes first on PATH. */
function standIn(name: string, bash: string): void {
  writeFileSync(join(folder, "bin", name), `#!/bin/bash\n${bash}\n`, { mode: 0o755 });
}

/** Runs a step's script as GitHub does, in a folder of its own. */
function ran(script: string, env: Record<string, string> = {}, cwd = folder) {
  const all = { PATH: `${join(folder, "bin")}:${process.env.PATH}`, HOME: folder, ...env };
  return spawnSync("bash", ["-e", "-c", script], { cwd, encoding: "utf8", env: all });
}

test("docs/recipes/README.md has every recipe", () => {
  const page = textOf("docs/recipes/README.md");
  const recipes = filesIn("docs/recipes", ".md").map((path) => path.replace("docs/recipes/", ""));
  expect(recipes.filter((recipe) => recipe !== "README.md" && !page.includes(`](${recipe})`))).toEqual([]);
});

// The group is taken before a job's condition is judged.
test("on a label: what picks the label is in the group, so that no other label cancels the run", () => {
  const { concurrency, jobs } = recipe("on-a-label.md", "gpu-label.yml");
  const [, picks = ""] = /(github\.event\.\S+) ==/.exec(jobs.rent?.if ?? "") ?? [];
  expect(picks).not.toBe("");
  expect(concurrency).toEqual({ group: expect.stringContaining(picks), "cancel-in-progress": true });
});

describe("a nightly benchmark", () => {
  const script = recipe("nightly-benchmark.md", "gpu-nightly.yml").jobs.compare?.steps?.at(-1)?.run ?? "";
  /** Runs the comparison with what each attempt of this run (4711) and of the last green one uploaded. */
  function compared(now: readonly string[], before: readonly string[] | undefined) {
    for (const [run, files] of [["4711", now] as const, ["4600", before ?? []] as const])
      for (const [index, text] of files.entries()) {
        const path = join(folder, "uploaded", run, `results-attempt-${index + 1}`, "results.json");
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, text);
      }
    const list = before === undefined ? ":" : "echo 4600";
    // gh unpacks each artifact into a folder of its name.
    standIn("gh", `case $2 in list) ${list} ;; download) cp -r "uploaded/$3" "$3" ;; esac`);
    return ran(script, { GITHUB_RUN_ID: "4711" });
  }
  const figure = (steps: unknown) => JSON.stringify({ steps_per_second: steps });

  test.each([
    ["is green when it is as quick as the last green run", [figure(95)], [figure(100)], 0],
    ["is red when it is more than a tenth slower", [figure(89)], [figure(100)], 1],
    ["is green without an earlier run", [figure(89)], undefined, 0],
    ["takes the newest attempt of each", [...Array(9).fill(figure(1)), figure(100)], [figure(1), figure(100)], 0],
  ])("%s", (_, now, before, status) => {
    const came = compared(now, before);
    expect(came.status, came.stderr).toBe(status);
  });

  test.each([
    ["the machine's owner wrote a text, and prints nothing of it", [figure("::add-path::/evil")]],
    ["there are no figures", []],
  ])("is red where %s", (_, now) => {
    const { status, stdout } = compared(now, [figure(100)]);
    expect(status).not.toBe(0);
    expect(stdout).not.toContain("evil");
  });
});

test.each([
  ["in the queue, is green by two jobs that succeeded", "merge_group", "success success", 0],
  ["in the queue, is red by jobs that were skipped", "merge_group", "skipped skipped", 1],
  ["of a fork's pull request, is green by jobs that were skipped", "pull_request", "skipped skipped", 0],
  ["of a pull request, is red by a job that failed", "pull_request", "failure failure", 1],
  ["of a pull request, is red by a GPU job that was skipped alone", "pull_request", "success skipped", 1],
])("forks: the check to require, %s", (_, EVENT, RESULTS, status) => {
  const script = recipe("forks.md", "gpu-queue.yml").jobs["gpu-passed"]?.steps?.[0]?.run ?? "exit 9";
  expect(ran(script, { EVENT, RESULTS }).status).toBe(status);
});

describe("without a merge queue: the lines", () => {
  const [, lines = ""] = /```sh\n([\s\S]*?)```/.exec(textOf("docs/recipes/forks.md")) ?? [];
  const PLACEHOLDER = "0123456789abcdef0123456789abcdef01234567";
  const names = ["AUTHOR_NAME", "AUTHOR_EMAIL", "COMMITTER_NAME", "COMMITTER_EMAIL"];
  const who = names.map((name) => [`GIT_${name}`, "a@example.com"]);
  const bash = (script: string, cwd: string) =>
    ran(`set +e\n${script}`, { GIT_PAGER: "cat", ...Object.fromEntries(who) }, join(folder, cwd));

  /** A fork's pull request whose commit somebody read, and which has another one since. */
  function moved({ rewritten = false } = {}): { read: string; now: string } {
    const made = bash(
      `set -e
      git init -q --bare --initial-branch=main origin && git clone -q origin ours 2>/dev/null && cd ours
      git commit -q --allow-empty -m base && git push -q origin HEAD:main
      mkdir .github && echo theirs >.github/x && git add . && git commit -q -m read
      git push -q origin HEAD:refs/pull/123/head && git rev-parse HEAD
      ${rewritten ? "git reset -q --hard HEAD~1" : ":"}
      git commit -q --allow-empty -m later && git push -q --force origin HEAD:refs/pull/123/head && git rev-parse HEAD
      cd .. && rm -rf ours && git clone -q --branch main origin ours`,
      ".",
    );
    const [read = "", now = ""] = made.stdout.trim().split("\n");
    return { read, now };
  }
  const pushed = () => bash("git rev-parse --verify --quiet refs/heads/pull-request/123", "origin").stdout.trim();

  test.each([false, true])("push the commit that was read, though the fork moved on, rewritten: %s", (rewritten) => {
    const { read, now } = moved({ rewritten });
    expect(now).not.toBe(read);
    const { stdout } = bash(lines.replace(PLACEHOLDER, read), "ours");
    expect(pushed()).toBe(read);
    expect(stdout).toContain("+theirs");
  });

  test("push nothing where the commit was not put in", () => {
    moved();
    expect(lines).toContain(PLACEHOLDER);
    bash(lines, "ours");
    expect(pushed()).toBe("");
  });

  test("name no commit but that one, and the page says to read .github first", () => {
    expect(lines).not.toMatch(/FETCH_HEAD|pull\/\d+\/head/);
    expect(textOf("docs/recipes/forks.md")).toContain("**Read `.github/` first.**");
  });
});

test.each([
  ["as it was built", (digest: string) => digest, 0],
  ["as it was built, its digest as the API has it", (digest: string) => `sha256:${digest}`, 0],
  ["that was replaced", () => "0".repeat(64), 1],
])("a wheel %s is published, or refused", (_, digestOf, status) => {
  const steps = recipe("build-artifacts.md", "gpu-publish.yml").jobs.publish?.steps ?? [];
  const script = steps.find(({ run }) => run?.includes("sha256sum"))?.run ?? "";
  standIn("gh", `[[ $2 == repos/octo/gpu-lib/actions/artifacts/7/zip ]] && printf built`);
  standIn("unzip", "touch unzipped");
  const DIGEST = digestOf(createHash("sha256").update("built").digest("hex"));
  const came = ran(script, { GITHUB_REPOSITORY: "octo/gpu-lib", ID: "7", DIGEST });
  expect(came.status, came.stderr).toBe(status);
  expect(existsSync(join(folder, "unzipped"))).toBe(status === 0);
});
