import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { filesIn, ROOT, textOf } from "./support/repository.ts";

/** A clone with one release, its bare upstream, and stand-ins on PATH for tools with a network. */
let folder: string;
let clone: string;

const template = mkdtempSync(join(tmpdir(), "release-template-"));

beforeAll(() => {
  folder = template;
  clone = join(folder, "clone");
  execFileSync("git", ["init", "--quiet", "--bare", "--initial-branch=main", join(folder, "origin.git")]);
  mkdirSync(join(clone, "docs"), { recursive: true });
  git("init", "--quiet", "--initial-branch=main");
  git("remote", "add", "origin", join(folder, "origin.git"));
  for (const path of ["action.yml", "sweep", "scripts", "LICENSE", ".github"])
    cpSync(join(ROOT, path), join(clone, path), { recursive: true });
  write("package.json", '{"type": "module", "version": "1.4.0"}\n');
  write(
    "CHANGELOG.md",
    "# Changelog\n\n## v1.4.0 (2026-11-22)\n\nMachines in pairs.\n\n## v1.3.0 (2026-10-01)\n\nOld.\n",
  );
  write("dist/main.js", "built\n");
  write(
    "README.md",
    "```yaml\n      - uses: OWNER/ephemeral-gpu-runner@v1\n```\nUse `OWNER/ephemeral-gpu-runner@v1`.\n",
  );
  write("docs/page.md", "```yaml\n      - uses: OWNER/ephemeral-gpu-runner/sweep@v1 # old\n```\n");
  commit("All");
  git("tag", "v1.4.0");
  git("push", "--quiet", "origin", "main", "v1.4.0");
});

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "release-"));
  clone = join(folder, "clone");
  cpSync(template, folder, { recursive: true });
  git("remote", "set-url", "origin", join(folder, "origin.git"));
});

afterAll(() => rmSync(template, { recursive: true, force: true }));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function git(...args: string[]): string {
  const user = ["-c", "user.name=test", "-c", "user.email=test@example.com"];
  return execFileSync("git", [...user, ...args], { cwd: clone, encoding: "utf8" }).trim();
}

function write(path: string, text: string): void {
  mkdirSync(join(clone, path, ".."), { recursive: true });
  writeFileSync(join(clone, path), text);
}

function commit(message: string): void {
  git("add", "--all");
  git("commit", "--quiet", "--message", message);
}

function script(name: string, args: string[] = [], env: Record<string, string> = {}) {
  const path = join(clone, "scripts/release", name);
  const [program, ...words] = name.endsWith(".mjs") ? [process.execPath, path, ...args] : [path, ...args];
  // The platform's: the commit for which the run was started.
  const platform = { PATH: `${join(folder, "bin")}:${process.env.PATH}`, GITHUB_SHA: git("rev-parse", "HEAD") };
  const all = { ...process.env, ...platform, ...env };
  const { status, stdout, stderr } = spawnSync(program ?? "", words, { cwd: clone, encoding: "utf8", env: all });
  return { status, said: stdout + stderr };
}

describe("verify-tag.sh", () => {
  const verify = (tag = "v1.4.0", build = "true") => script("verify-tag.sh", [tag, build]);

  test("takes the tag of a commit on main whose dist is fresh", () => {
    expect(verify()).toMatchObject({ status: 0, said: expect.stringContaining(git("rev-parse", "HEAD")) });
  });

  test.each<[string, () => unknown, RegExp, string?, string?]>([
    ["the plain tag of a major version", () => git("tag", "v1"), /not a full version/, "v1"],
    ["a tag that is not there", () => {}, /no such tag/, "v1.4.1"],
    [
      "another commit than the one checked out",
      () => git("commit", "--quiet", "--allow-empty", "-m", "x"),
      /not the one that is/,
    ],
    ["a work tree that was touched", () => write("action.yml", "x"), /not clean before/],
    ["another version in package.json", () => retag('{"version": "1.3.9"}'), /package.json has another version/],
    ["nothing in the changelog", () => retag(undefined, "# Changelog\n"), /CHANGELOG.md has no heading/],
    ["a stale dist", () => {}, /dist is not what its source makes/, "v1.4.0", "cp LICENSE dist/main.js"],
    ["a file that dist lacks", () => {}, /dist is not what its source makes/, "v1.4.0", "cp LICENSE dist/new.js"],
  ])("refuses %s", (_, change, sentence, tag, build) => {
    change();
    expect(verify(tag, build)).toMatchObject({ status: 1, said: expect.stringMatching(sentence) });
  });

  test("refuses a commit that is not in main's history", () => {
    git("checkout", "--quiet", "--orphan", "other");
    commit("Rewritten");
    git("push", "--quiet", "--force", "origin", "other:main");
    git("fetch", "--quiet", "origin");
    git("checkout", "--quiet", "v1.4.0");
    expect(verify()).toMatchObject({ status: 1, said: expect.stringMatching(/not on the main branch/) });
  });

  function retag(pack?: string, changelog?: string): void {
    if (pack) write("package.json", pack);
    if (changelog) write("CHANGELOG.md", changelog);
    commit("Changed");
    git("tag", "--force", "v1.4.0");
    git("push", "--quiet", "origin", "main");
  }
});

/** The commit of a tag at the remote. */
function at(tag: string): string {
  return execFileSync("git", ["rev-parse", `${tag}^{commit}`], {
    cwd: join(folder, "origin.git"),
    encoding: "utf8",
  }).trim();
}

/** Somebody else moves the tag at the remote, from a clone of their own, to a commit that nobody verified. */
function moveTagAway(annotated = false): void {
  const other = join(folder, "other");
  const theirs = (...args: string[]) =>
    execFileSync("git", ["-C", other, "-c", "user.name=x", "-c", "user.email=x@x", ...args]);
  execFileSync("git", ["clone", "--quiet", join(folder, "origin.git"), other]);
  theirs("commit", "--quiet", "--allow-empty", "--message", "Not verified");
  theirs("tag", "--force", ...(annotated ? ["--annotate", "--message", "x"] : []), "v1.4.0");
  theirs("push", "--quiet", "--force", "origin", "v1.4.0");
}

describe("same-tag.sh", () => {
  const sameTag = (sha = git("rev-parse", "HEAD")) => script("same-tag.sh", ["v1.4.0"], { GITHUB_SHA: sha });

  test("is content while the tag is what was verified, annotated or not", () => {
    expect(sameTag()).toEqual({ status: 0, said: "" });
    git("tag", "--force", "--annotate", "--message", "x", "v1.4.0");
    git("push", "--quiet", "--force", "origin", "v1.4.0");
    expect(sameTag()).toEqual({ status: 0, said: "" });
  });

  test.each([false, true])(
    "refuses a tag that was moved at the remote after it was verified, annotated: %s",
    (annotated) => {
      moveTagAway(annotated);
      const moved = at("v1.4.0");
      expect(sameTag()).toMatchObject({ status: 1, said: expect.stringContaining(`is ${moved} at the remote`) });
    },
  );

  test("refuses a tag that is gone, and a work tree or a clone of another commit", () => {
    const verified = git("rev-parse", "HEAD");
    git("push", "--quiet", "origin", ":v1.4.0");
    expect(sameTag()).toMatchObject({ status: 1, said: expect.stringContaining("is nothing at the remote") });
    git("commit", "--quiet", "--allow-empty", "--message", "More");
    expect(sameTag(verified)).toMatchObject({ status: 1, said: expect.stringContaining("was checked out as") });
    git("tag", "--force", "v1.4.0");
    expect(sameTag(verified)).toMatchObject({ status: 1, said: expect.stringContaining("in this clone") });
  });
});

describe("move-major.sh", () => {
  test("makes the plain tag, and moves it to a newer version", () => {
    expect(script("move-major.sh", ["v1.4.0"])).toMatchObject({ status: 0, said: "v1 is v1.4.0 now.\n" });
    git("commit", "--quiet", "--allow-empty", "--message", "More");
    git("tag", "v1.10.0");
    git("push", "--quiet", "origin", "main", "v1.10.0");
    expect(script("move-major.sh", ["v1.10.0"]).status).toBe(0);
    expect(at("v1")).toBe(git("rev-parse", "HEAD"));
  });

  test("moves it to the commit that was verified, also where the clone has another v1", () => {
    const verified = git("rev-parse", "HEAD");
    git("tag", "v1", git("commit-tree", "HEAD^{tree}", "-m", "Another"));
    expect(script("move-major.sh", ["v1.4.0"]).status).toBe(0);
    expect(at("v1")).toBe(verified);
  });

  test("moves nothing where the tag was moved after it was verified", () => {
    git("push", "--quiet", "origin", "v1.4.0^{commit}:refs/tags/v1");
    const verified = at("v1");
    moveTagAway();
    expect(script("move-major.sh", ["v1.4.0"], { GITHUB_SHA: verified })).toMatchObject({
      status: 1,
      said: expect.stringContaining("The plain tag was not moved."),
    });
    expect(at("v1")).toBe(verified);
  });

  test("never moves it back", () => {
    git("tag", "v1.3.9");
    git("push", "--quiet", "origin", "v1.3.9");
    script("move-major.sh", ["v1.4.0"]);
    expect(script("move-major.sh", ["v1.3.9"])).toMatchObject({
      status: 0,
      said: expect.stringContaining("stays where it is"),
    });
    expect(script("move-major.sh", ["v1"]).status).toBe(1);
  });
});

test("pack.sh packs what runs, the same bytes every time", () => {
  const [first, second] = [join(folder, "a"), join(folder, "b")];
  expect(script("pack.sh", ["v1.4.0", first]).status).toBe(0);
  expect(script("pack.sh", ["v1.4.0", second]).status).toBe(0);
  const name = "ephemeral-gpu-runner-v1.4.0.tar.gz";
  expect(readFileSync(join(first, name)).equals(readFileSync(join(second, name)))).toBe(true);
  const files = execFileSync("tar", ["-tzf", join(first, name)], { encoding: "utf8" });
  for (const path of ["action.yml", "sweep/action.yml", "dist/main.js"])
    expect(files).toContain(`ephemeral-gpu-runner-v1.4.0/${path}\n`);
  expect(files).not.toContain("CHANGELOG");
});

test("pack.sh sums the set-up program that lies there, too", () => {
  const out = join(folder, "with-setup");
  mkdirSync(out);
  writeFileSync(join(out, "setup.tgz"), "packed before");
  expect(script("pack.sh", ["v1.4.0", out]).status).toBe(0);
  const sums = readFileSync(join(out, "SHA256SUMS"), "utf8");
  expect(sums).toMatch(/^[0-9a-f]{64} {2}ephemeral-gpu-runner-v1\.4\.0\.tar\.gz\n[0-9a-f]{64} {2}setup\.tgz\n$/);
});

test("notes.sh gives the section of the version alone", () => {
  const { said } = script("notes.sh", ["v1.4.0"], { GITHUB_REPOSITORY: "acme/ephemeral-gpu-runner" });
  expect(said).toContain("Machines in pairs.");
  expect(said).not.toContain("Old.");
  expect(said).toContain("-R acme/ephemeral-gpu-runner");
});

describe("publish.sh", () => {
  const publish = (immutable: string, meanwhile = ":") => {
    mkdirSync(join(folder, "bin"), { recursive: true });
    writeFileSync(
      join(folder, "bin/gh"),
      `#!/bin/sh\necho "$@" >>"${folder}/gh.log"\n${meanwhile}\ncase $* in *.immutable*) echo ${immutable} ;; esac\n`,
    );
    chmodSync(join(folder, "bin/gh"), 0o755);
    write("release/a.tar.gz", "packed");
    return script("publish.sh", ["v1.4.0", "release"], { GITHUB_REPOSITORY: "acme/ephemeral-gpu-runner" });
  };

  test("makes the release with its files and the changelog's text", () => {
    expect(publish("true")).toEqual({ status: 0, said: "" });
    const log = readFileSync(join(folder, "gh.log"), "utf8");
    expect(log).toMatch(
      /^release create v1\.4\.0 --verify-tag [\s\S]*Machines in pairs\.[\s\S]* release\/a\.tar\.gz$/m,
    );
    expect(log).toContain("repos/acme/ephemeral-gpu-runner/releases/tags/v1.4.0");
  });

  test("makes no release of a tag that was moved after it was verified", () => {
    moveTagAway();
    expect(publish("true")).toMatchObject({ status: 1, said: expect.stringContaining("Nothing was published") });
    expect(existsSync(join(folder, "gh.log"))).toBe(false);
  });

  test("says so where the tag is moved while the release is made", () => {
    const move = `git --git-dir="${join(folder, "origin.git")}" tag --force v1.4.0 $(git --git-dir="${join(folder, "origin.git")}" -c user.name=x -c user.email=x@x commit-tree -m x "main^{tree}") >/dev/null`;
    expect(publish("true", move)).toMatchObject({ status: 1, said: expect.stringContaining("delete the release") });
  });

  test("fails where the release can be changed afterwards", () => {
    expect(publish("false")).toMatchObject({ status: 1, said: expect.stringContaining("The plain tag was not moved") });
  });
});

test("compare-dist.sh names what is stale, and an added file, too", () => {
  expect(script("compare-dist.sh")).toEqual({ status: 0, said: "" });
  write("dist/main.js", "other\n");
  write("dist/new.js", "new\n");
  expect(script("compare-dist.sh")).toMatchObject({
    status: 1,
    said: expect.stringMatching(/main\.js[\s\S]*new\.js[\s\S]*2 file/),
  });
});

test("pin-docs.mjs writes commit and version into every use, and into nothing else", () => {
  const commitOf = git("rev-parse", "v1.4.0");
  expect(script("pin-docs.mjs", [commitOf, "v1.4.0"])).toEqual({ status: 0, said: "2 pages name v1.4.0\n" });
  expect(readFileSync(join(clone, "README.md"), "utf8")).toBe(
    `\`\`\`yaml\n      - uses: OWNER/ephemeral-gpu-runner@${commitOf} # v1.4.0\n\`\`\`\nUse \`OWNER/ephemeral-gpu-runner@v1\`.\n`,
  );
  expect(readFileSync(join(clone, "docs/page.md"), "utf8")).toContain(`sweep@${commitOf} # v1.4.0\n`);
  expect(script("pin-docs.mjs", ["v1.4.0", commitOf]).status).not.toBe(0);
});

test("the pages of this repository can be pinned so: every use in them is of the form that the script knows", () => {
  const uses = ["README.md", "docs/first-run.md", "docs/recipes/images.md"].flatMap((page) =>
    Array.from(textOf(page).matchAll(/uses: OWNER\/.*$/gm), ([use]) => use),
  );
  expect(uses.length).toBeGreaterThan(5);
  for (const use of uses) expect(use).toMatch(/^uses: OWNER\/ephemeral-gpu-runner(\/[\w./-]+)?@\S+( # v[\d.]+)?$/);
});

test("open-docs-pull-request.sh pushes a branch and opens a pull request, once", () => {
  mkdirSync(join(folder, "bin"));
  writeFileSync(join(folder, "bin/gh"), `#!/bin/sh\necho "$@" >>"${folder}/gh.log"\n`);
  chmodSync(join(folder, "bin/gh"), 0o755);
  const released = { GITHUB_SHA: git("rev-parse", "HEAD") };
  expect(script("open-docs-pull-request.sh", ["v1.4.0"], released).status).toBe(0);
  expect(readFileSync(join(folder, "gh.log"), "utf8")).toContain("pr create --base main --head docs-v1.4.0");
  expect(git("ls-remote", "origin", "docs-v1.4.0")).not.toBe("");
  rmSync(join(folder, "gh.log"));
  expect(script("open-docs-pull-request.sh", ["v1.4.0"], released)).toMatchObject({
    status: 0,
    said: expect.stringContaining("already"),
  });
  expect(existsSync(join(folder, "gh.log"))).toBe(false);
});

test("every release script is run by a workflow", () => {
  const workflows = ["release", "check-dist"].map((name) => textOf(`.github/workflows/${name}.yml`)).join("\n");
  for (const name of [
    "verify-tag.sh",
    "same-tag.sh",
    "pack.sh",
    "pack-setup.mjs",
    "publish.sh",
    "move-major.sh",
    "compare-dist.sh",
    "open-docs-pull-request.sh",
  ])
    expect(workflows).toContain(`scripts/release/${name}`);
  expect(textOf("scripts/release/publish.sh")).toContain("scripts/release/notes.sh");
  expect(textOf("scripts/release/open-docs-pull-request.sh")).toContain("scripts/release/pin-docs.mjs");
  const release = parse(textOf(".github/workflows/release.yml")) as {
    jobs: Record<"publish" | "update-docs", { environment?: string; needs: string }>;
  };
  expect(release.jobs.publish).toMatchObject({ environment: "release", needs: "verify" });
  expect(release.jobs["update-docs"]).toMatchObject({ needs: "publish" });
});

test("no workflow waits for an event that only a workflow's own token makes: GitHub starts none for it", () => {
  const files = filesIn(".github/workflows", ".yml");
  const events = files.flatMap((file) => Object.keys((parse(textOf(file)) as { on: object }).on));
  expect(events).toContain("push");
  expect(events.filter((event) => ["release", "create", "check_run", "deployment"].includes(event))).toEqual([]);
});
