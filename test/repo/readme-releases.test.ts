import { cpSync, existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { useReleaseWorld } from "./support/release-world.ts";
import { filesIn, ROOT, textOf } from "./support/repository.ts";

const world = useReleaseWorld();
const git = (...args: string[]) => world().git(...args);
const script = (name: string, args: string[] = [], env: Record<string, string> = {}) => world().script(name, args, env);
const RELEASE = "repos/acme/ephemeral-gpu-runner/releases/tags/v1.4.0";

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
      world().moveTagAway(annotated);
      const moved = world().at("v1.4.0");
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
  const move = (tag: string) => script("move-major.sh", [tag], { GITHUB_SHA: "", GITHUB_REPOSITORY: "" });
  const released = (immutable: unknown = true) => {
    const path = (tag: string) => `repos/{owner}/{repo}/releases/tags/${tag}`;
    world().api({ [path("v1.4.0")]: { immutable }, [path("v1.10.0")]: { immutable }, [path("v1.3.9")]: { immutable } });
  };
  beforeEach(() => released());

  test("makes the plain tag, and moves it to a newer version", () => {
    expect(move("v1.4.0")).toMatchObject({ status: 0, said: "v1 is v1.4.0 now.\n" });
    world().write("action.yml", "newer");
    world().release("v1.10.0");
    expect(move("v1.10.0").status).toBe(0);
    expect(world().at("v1")).toBe(git("rev-parse", "HEAD"));
  });

  test("moves it to the released commit, also where the clone has another v1, and another commit is checked out", () => {
    const released = git("rev-parse", "HEAD");
    git("tag", "v1", git("commit-tree", "HEAD^{tree}", "-m", "Another"));
    git("commit", "--quiet", "--allow-empty", "--message", "More");
    expect(move("v1.4.0").status).toBe(0);
    expect(world().at("v1")).toBe(released);
  });

  test.each([false, null, "true "])(
    "moves nothing where the release can be changed, or nobody knows: %j",
    (immutable) => {
      released(immutable);
      expect(move("v1.4.0")).toMatchObject({ status: 1, said: expect.stringContaining("is not immutable") });
      expect(git("ls-remote", "origin", "v1")).toBe("");
    },
  );

  test("moves nothing where there is no release", () => {
    world().api({});
    expect(move("v1.4.0")).toMatchObject({ status: 1, said: expect.stringContaining("is not immutable") });
    expect(git("ls-remote", "origin", "v1")).toBe("");
  });

  test("moves nothing to a tag that no maintainer signed", () => {
    world().moveTagAway(true);
    expect(move("v1.4.0")).toMatchObject({ status: 1, said: expect.stringContaining("is not signed") });
    expect(git("ls-remote", "origin", "v1")).toBe("");
  });

  test("never moves it back", () => {
    world().signedTag("v1.3.9");
    git("push", "--quiet", "origin", "v1.3.9");
    move("v1.4.0");
    expect(move("v1.3.9")).toMatchObject({ status: 0, said: expect.stringContaining("stays where it is") });
    expect(move("v1").status).toBe(1);
  });
});

test("notes.sh gives the section of the version alone", () => {
  const { said } = script("notes.sh", ["v1.4.0"]);
  expect(said).toContain("Machines in pairs.");
  expect(said).not.toContain("Old.");
  expect(said).toContain("-R acme/ephemeral-gpu-runner");
});

describe("publish.sh", () => {
  const publish = (immutable = true) => {
    world().api({ [RELEASE]: { immutable } });
    world().write("release/a.tar.gz", "packed");
    return script("publish.sh", ["v1.4.0", "release"]);
  };

  test("makes the release with its files and the changelog's text", () => {
    expect(publish()).toEqual({ status: 0, said: "" });
    expect(world().calls()).toMatch(
      /^release create v1\.4\.0 --verify-tag [\s\S]*Machines in pairs\.[\s\S]* release\/a\.tar\.gz$/m,
    );
    expect(world().calls()).toContain(RELEASE);
  });

  test("makes no release of a tag that was moved after it was verified", () => {
    world().moveTagAway();
    expect(publish()).toMatchObject({ status: 1, said: expect.stringContaining("Nothing was published") });
    expect(world().calls()).toBe("");
  });

  test("says so where the tag is moved while the release is made", () => {
    const remote = `git --git-dir='${world().path("origin.git")}'`;
    world().write("release/a.tar.gz", "packed");
    world().standIn(
      "gh",
      `[[ $1 == api ]] && { echo true; exit; }
      ${remote} tag --force v1.4.0 $(${remote} -c user.name=x -c user.email=x@x commit-tree -m x "main^{tree}") >/dev/null`,
    );
    expect(script("publish.sh", ["v1.4.0", "release"])).toMatchObject({
      status: 1,
      said: expect.stringContaining("delete the release"),
    });
  });

  test("fails where the release can be changed afterwards", () => {
    expect(publish(false)).toMatchObject({ status: 1, said: expect.stringContaining("Don't move the plain tag") });
  });
});

test("compare-dist.sh names what is stale, and an added file, too", () => {
  expect(script("compare-dist.sh")).toEqual({ status: 0, said: "" });
  world().write("dist/main.js", "other\n");
  world().write("dist/new.js", "new\n");
  expect(script("compare-dist.sh")).toMatchObject({
    status: 1,
    said: expect.stringMatching(/main\.js[\s\S]*new\.js[\s\S]*2 file/),
  });
});

test("pin-docs.mjs writes commit and version into every use, and into nothing else", () => {
  const commitOf = git("rev-parse", "v1.4.0");
  expect(script("pin-docs.mjs", [commitOf, "v1.4.0"])).toEqual({ status: 0, said: "2 pages name v1.4.0\n" });
  expect(readFileSync(world().path("tag/README.md"), "utf8")).toBe(
    `\`\`\`yaml\n      - uses: acme/ephemeral-gpu-runner@${commitOf} # v1.4.0\n\`\`\`\nUse \`acme/ephemeral-gpu-runner@v1\`.\n`,
  );
  expect(readFileSync(world().path("tag/docs/page.md"), "utf8")).toContain(`sweep@${commitOf} # v1.4.0\n`);
  expect(script("pin-docs.mjs", ["v1.4.0", commitOf]).status).not.toBe(0);
});

test("pin-docs.mjs writes the account's name in place of OWNER, and leaves no sentence on it, in all pages of this repository", () => {
  cpSync(join(ROOT, "README.md"), world().path("tag/README.md"));
  cpSync(join(ROOT, "docs"), world().path("tag/docs"), { recursive: true });
  const commitOf = git("rev-parse", "v1.4.0");
  expect(script("pin-docs.mjs", [commitOf, "v1.4.0"]).status).toBe(0);
  for (const page of ["README.md", ...filesIn("docs", ".md")]) {
    const text = readFileSync(world().path(`tag/${page}`), "utf8");
    // GitHub's own word for who wrote a comment.
    expect(text.replace('"OWNER", "MEMBER"', ""), page).not.toMatch(/\bOWNER\b|until the first release/);
  }
  expect(readFileSync(world().path("tag/README.md"), "utf8")).toContain("--repo acme/ephemeral-gpu-runner");
});

test("pin-docs.mjs changes nothing where the repository has no name", () => {
  const commitOf = git("rev-parse", "v1.4.0");
  expect(script("pin-docs.mjs", [commitOf, "v1.4.0"], { GITHUB_REPOSITORY: "" }).status).not.toBe(0);
  expect(git("status", "--porcelain")).toBe("");
});

test("the pages of this repository can be pinned so: every use in them is of the form that the script knows", () => {
  const uses = ["README.md", "docs/first-run.md", "docs/recipes/organisation.md"].flatMap((page) =>
    Array.from(textOf(page).matchAll(/uses: \S+\/ephemeral-gpu-runner.*$/gm), ([use]) => use),
  );
  expect(uses.length).toBeGreaterThan(5);
  for (const use of uses) expect(use).toMatch(/^uses: [\w.-]+\/ephemeral-gpu-runner(\/[\w./-]+)?@\S+( # v[\d.]+)?$/);
});

test("open-docs-pull-request.sh pushes a branch and opens a pull request, once", () => {
  world().api({});
  const released = { GITHUB_SHA: git("rev-parse", "HEAD") };
  expect(script("open-docs-pull-request.sh", ["v1.4.0"], released).status).toBe(0);
  expect(world().calls()).toContain("pr create --base main --head docs-v1.4.0");
  expect(world().calls()).toContain("scripts/release/move-major.sh v1.4.0");
  expect(git("ls-remote", "origin", "docs-v1.4.0")).not.toBe("");
  rmSync(world().path("gh.log"));
  expect(script("open-docs-pull-request.sh", ["v1.4.0"], released)).toMatchObject({
    status: 0,
    said: expect.stringContaining("already"),
  });
  expect(existsSync(world().path("gh.log"))).toBe(false);
});

test("every release script is run by a workflow, by another one, or by a maintainer as docs/internals/releasing.md says", () => {
  const workflows = ["release", "check-dist"].map((name) => textOf(`.github/workflows/${name}.yml`)).join("\n");
  const scripts = filesIn("scripts/release");
  const texts = scripts.map((path) => textOf(path).replaceAll(/^#.*/gm, ""));
  const named = (path: string) => texts.some((text) => text.includes(path.replace("scripts/release/", "")));
  const unused = scripts.filter((path) => !workflows.includes(path) && !named(path));
  expect(unused).toEqual([]);
  expect(textOf("docs/internals/releasing.md")).toContain("scripts/release/move-major.sh v1.4.0");
});

test("no workflow waits for an event that only a workflow's own token makes: GitHub starts none for it", () => {
  const files = filesIn(".github/workflows", ".yml");
  const events = files.flatMap((file) => Object.keys((parse(textOf(file)) as { on: object }).on));
  expect(events).toContain("push");
  expect(events.filter((event) => ["release", "create", "check_run", "deployment"].includes(event))).toEqual([]);
});
