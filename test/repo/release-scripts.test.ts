import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { refused, useReleaseWorld } from "./support/release-world.ts";
import { filesIn, ROOT, textOf } from "./support/repository.ts";

const world = useReleaseWorld();
const git = (...args: string[]) => world().git(...args);
const RELEASE = "repos/acme/ephemeral-gpu-runner/releases/tags/v1.4.0";
/** A maintainer runs it, not a workflow. */
const BY_HAND = { GITHUB_SHA: "", GITHUB_REPOSITORY: "" };

function script(name: string, args = ["v1.4.0"], env: Record<string, string> = {}) {
  return world().script(name, args, name === "move-major.sh" ? BY_HAND : env);
}

function released(path: string, text: string): void {
  world().write(path, text);
  world().release();
}

function rewrittenMain(): void {
  git("checkout", "--quiet", "--orphan", "other");
  world().commit("Rewritten");
  world().push("other:main");
  git("checkout", "--quiet", "v1.4.0");
}

/** A commit whose tag a stranger signed, and which makes them a maintainer, by a script of its own, too. */
function madeMaintainerByTheTag(): void {
  world().write(".github/allowed_signers", world().signer("eve", "stranger"));
  world().write("scripts/release/signed-tag.sh", "exit 0\n");
  world().commit("Eve is one of us");
  world().signedTag("v1.4.0", { key: "stranger" });
  world().push("v1.4.0");
}

function removedFromMain(): void {
  world().changeMain(".github/allowed_signers", world().signer("bob", "stranger"));
}

function signedUnderAnotherName(): void {
  world().signedTag("v1.3.0");
  world().push("v1.3.0:refs/tags/v1.4.0");
}

function tagged(...options: string[]): void {
  git("tag", "--force", ...options, "v1.4.0", "HEAD");
  world().push("v1.4.0");
}

/** GitHub's answer of whether a release can be changed, for each tag. */
function immutable(is: unknown): void {
  const paths = ["v1.4.0", "v1.10.0", "v1.3.9"].map((tag) => `repos/{owner}/{repo}/releases/tags/${tag}`);
  world().api(Object.fromEntries(paths.map((path) => [path, { immutable: is }])));
}

const REVIEWED = { type: "required_reviewers", reviewers: [{ type: "Team", reviewer: { slug: "maintainers" } }] };
const LIMITED = { protected_branches: false, custom_branch_policies: true };
const GUARDED = { protection_rules: [REVIEWED, { type: "branch_policy" }], deployment_branch_policy: LIMITED };
const PROTECTED = { protected_branches: true, custom_branch_policies: false };
const policies = (...names: [string, string?][]) => ({
  total_count: names.length,
  branch_policies: names.map(([name, type = "branch"]) => ({ name, type })),
});
const ENVIRONMENTS: Record<string, unknown> = {
  release: { protection_rules: [REVIEWED] },
  e2e: GUARDED,
  "e2e/deployment-branch-policies": policies(["main"]),
  prober: GUARDED,
  "prober/deployment-branch-policies": policies(["main"]),
};

/** GitHub's answer of each environment, with these in the place of what is well. */
function environments(others: Record<string, unknown> = {}): void {
  const all = Object.entries({ ...ENVIRONMENTS, ...others });
  const paths = all.map(([path, is]) => [`repos/acme/ephemeral-gpu-runner/environments/${path}`, is]);
  world().api(Object.fromEntries(paths));
}

function badGatewayForE2e(): void {
  const release = `[[ $* == *e2e* ]] || { echo '${JSON.stringify(ENVIRONMENTS.release)}'; exit; }`;
  world().standIn("gh", `${release}; echo "gh: Bad Gateway (HTTP 502)" >&2; exit 1`);
}

const UNREVIEWED = /(?:release|e2e) has no required reviewer/;
const UNGUARDED: [what: string, environments: Record<string, unknown>, says: RegExp][] = [
  ["no environment release", { release: undefined }, /release can't be read/],
  ["release without a rule", { release: {} }, UNREVIEWED],
  ["release whose rule names nobody", { release: { protection_rules: [{ ...REVIEWED, reviewers: [] }] } }, UNREVIEWED],
  ["release with a wait alone", { release: { protection_rules: [{ type: "wait_timer" }] } }, UNREVIEWED],
  ["e2e without a reviewer", { e2e: { ...GUARDED, protection_rules: [] } }, UNREVIEWED],
  ["prober for all protected", { prober: { ...GUARDED, deployment_branch_policy: PROTECTED } }, /prober .* main alone/],
];

const PLACEHOLDERS = [".github/CODEOWNERS", ".github/allowed_signers", "SECURITY.md"];

/** What is so, how it comes to be, and what the script says of it; the tag that it is given where it is another one. */
type Refusal = [what: string, make: () => unknown, says: RegExp, tag?: string];

const REFUSALS: Record<string, Refusal[]> = {
  "verify-tag.sh": [
    ["the plain tag of a major version", () => git("tag", "v1"), /not a full version/, "v1"],
    ["a tag that is not there", () => {}, /no such tag/, "v1.4.1"],
    ["another commit than the one checked out", () => world().commit("More"), /not the one that is/],
    ["a work tree that was touched", () => world().write("action.yml", "x"), /not clean/],
    ["another version", () => released("package.json", '{"version": "1.3.9"}'), /package.json has another version/],
    ["nothing in the changelog", () => released("CHANGELOG.md", "# Changelog\n"), /CHANGELOG.md has no heading/],
    ["a release.yml older than main's", () => world().changeMain(".github/workflows/release.yml", ""), /is not main's/],
    ["a commit that is not in main's history", rewrittenMain, /not on the main branch/],
    ["a tag without a signature", () => tagged(), /is not signed/],
    ["an annotated tag without one", () => tagged("--annotate", "-m", "x"), /is not signed/],
    ["a stranger's signature", () => world().release("v1.4.0", { key: "stranger" }), /no maintainer/],
    ["a maintainer's of another tag under this name", signedUnderAnotherName, /names itself v1.3.0/],
    ["one of somebody whom main has since removed", removedFromMain, /no maintainer/],
    ["a stranger whom the tag's own commit makes a maintainer", madeMaintainerByTheTag, /no maintainer/],
  ],
  "same-tag.sh": [
    ["a tag that is gone", () => world().push(":v1.4.0"), /is nothing at the remote/],
    ["another commit in this clone", () => world().commit("More"), /in this clone/],
  ],
  "move-major.sh": [
    ["a release that can be changed", () => immutable(false), /is not immutable/],
    ["one of which nobody knows", () => immutable(null), /is not immutable/],
    ["a word that is not quite true", () => immutable("true "), /is not immutable/],
    ["no release", () => world().api({}), /is not immutable/],
    ["a tag that no maintainer signed", () => [immutable(true), world().moveTagAway(true)], /is not signed/],
    ["a plain tag", () => immutable(true), /not a full version/, "v1"],
  ],
  "placeholders.sh": [
    ...PLACEHOLDERS.map((path): Refusal => {
      const change = () => world().changeMain(path, "x\n* @OWNER/maintainers\n");
      return [`a line of main's ${path}, whatever the tag has`, change, new RegExp(`${path}:2:.*OWNER`)];
    }),
    ["a file that is not there", () => world().changeMain("SECURITY.md", undefined), /SECURITY.md is not there/],
  ],
  "environments.sh": [
    ...UNGUARDED.map(([what, others, says]): Refusal => [what, () => environments(others), says]),
    ...[policies(["main"], ["release/*"]), policies(["main", "tag"])].map((admitted): Refusal => {
      const change = () => environments({ "e2e/deployment-branch-policies": admitted });
      return [`e2e for ${JSON.stringify(admitted.branch_policies)}`, change, /e2e .* main alone/];
    }),
    ["no answer: a 502 does not mean that there is none", badGatewayForE2e, /e2e can't be read/],
  ],
};

describe.each(Object.entries(REFUSALS))("%s refuses", (name, rows) => {
  test.each(rows)("%s", (_, make, says, tag = "v1.4.0") => {
    make();
    expect(script(name, [tag])).toMatchObject(refused(says));
    expect(git("ls-remote", "origin", "v1")).toBe("");
  });
});

describe("verify-tag.sh", () => {
  test("takes the signed tag of a commit on main, also where the checkout left it without its signature", () => {
    const commit = git("rev-parse", "HEAD");
    expect(script("verify-tag.sh")).toMatchObject({ status: 0, said: expect.stringContaining(commit) });
    expect(world().outputs()).toEqual({ bundler: "" });
    git("tag", "--force", "v1.4.0", "v1.4.0^{commit}");
    expect(script("verify-tag.sh")).toMatchObject({ status: 0 });
  });

  test("hands on what a maintainer says of the bundler in the tag's message, and nothing else of it", () => {
    world().release("v1.4.0", { message: "v1.4.0\n\nBundler: changed\nBundler: $(id)\n" });
    expect(script("verify-tag.sh").status).toBe(0);
    expect(world().outputs()).toEqual({ bundler: "changed" });
  });
});

describe("same-tag.sh", () => {
  test("is content while the tag is what was verified, annotated or not, and not in a checkout of another commit", () => {
    expect(script("same-tag.sh")).toEqual({ status: 0, said: "" });
    tagged("--annotate", "--message", "x");
    expect(script("same-tag.sh")).toEqual({ status: 0, said: "" });
    const verified = { GITHUB_SHA: git("rev-parse", "HEAD") };
    world().commit("More");
    expect(script("same-tag.sh", ["v1.4.0"], verified)).toMatchObject(refused("was checked out as"));
  });

  test.each([false, true])("refuses a tag that was moved at the remote, annotated: %s", (annotated) => {
    world().moveTagAway(annotated);
    expect(script("same-tag.sh")).toMatchObject(refused(`is ${world().at("v1.4.0")} at the remote`));
  });
});

describe("move-major.sh", () => {
  beforeEach(() => immutable(true));

  test("makes the plain tag, moves it to a newer version, and never back", () => {
    expect(script("move-major.sh")).toMatchObject({ status: 0, said: "v1 is v1.4.0 now.\n" });
    world().write("action.yml", "newer");
    world().release("v1.10.0");
    expect(script("move-major.sh", ["v1.10.0"]).status).toBe(0);
    const stays = { status: 0, said: expect.stringContaining("stays where it is") };
    expect(script("move-major.sh")).toMatchObject(stays);
    expect(world().at("v1")).toBe(git("rev-parse", "HEAD"));
  });

  test("moves it to the released commit, also where the clone has another v1, and another commit is checked out", () => {
    const commit = git("rev-parse", "HEAD");
    git("tag", "v1", git("commit-tree", "HEAD^{tree}", "-m", "Another"));
    world().commit("More");
    expect(script("move-major.sh").status).toBe(0);
    expect(world().at("v1")).toBe(commit);
  });
});

test("notes.sh gives the section of the version alone", () => {
  const { said } = script("notes.sh");
  expect(said).toContain("Machines in pairs.");
  expect(said).not.toContain("Old.");
  expect(said).toContain("-R acme/ephemeral-gpu-runner");
});

describe("publish.sh", () => {
  const publish = (is = true) => {
    world().api({ [RELEASE]: { immutable: is } });
    return script("publish.sh", ["v1.4.0", "release"]);
  };
  beforeEach(() => world().write("release/a.tar.gz", "packed"));

  test("makes the release with its files and the changelog's text", () => {
    expect(publish()).toEqual({ status: 0, said: "" });
    const call = /^release create v1\.4\.0 --verify-tag [\s\S]*Machines in pairs\.[\s\S]* release\/a\.tar\.gz$/m;
    expect(world().calls()).toMatch(call);
    expect(world().calls()).toContain(RELEASE);
  });

  test("makes no release of a tag that was moved after it was verified", () => {
    world().moveTagAway();
    expect(publish()).toMatchObject(refused("Nothing was published"));
    expect(world().calls()).toBe("");
  });

  test("says so where the tag is moved while the release is made", () => {
    const remote = `git --git-dir='${world().path("origin.git")}'`;
    const another = `$(${remote} -c user.name=x -c user.email=x@x commit-tree -m x "main^{tree}")`;
    const moves = `${remote} tag --force v1.4.0 ${another} >/dev/null`;
    world().standIn("gh", `[[ $1 == api ]] && { echo true; exit; }\n${moves}`);
    expect(script("publish.sh", ["v1.4.0", "release"])).toMatchObject(refused("delete the release"));
  });

  test("fails where the release can be changed afterwards", () => {
    expect(publish(false)).toMatchObject(refused("Don't move the plain tag"));
  });
});

test("compare-dist.sh names what is stale, and an added file, too", () => {
  expect(script("compare-dist.sh")).toEqual({ status: 0, said: "" });
  world().write("dist/main.js", "other\n");
  world().write("dist/new.js", "new\n");
  expect(script("compare-dist.sh")).toMatchObject(refused(/main\.js[\s\S]*new\.js[\s\S]*2 file/));
});

test("placeholders.sh looks in each file that tells people of the account, or that gets it by the first release", () => {
  expect(script("placeholders.sh")).toEqual({ status: 0, said: "" });
  const files = ["README.md", "SECURITY.md", "CONTRIBUTING.md", ...filesIn("docs", ".md"), ...filesIn(".github")];
  const telling = files.filter((path) => /\bOWNER\b/.test(textOf(path)));
  expect(telling.filter((path) => !PLACEHOLDERS.includes(path) && !/^(?:README\.md|docs\/.*)$/.test(path))).toEqual([]);
});

test("environments.sh is content with what is guarded, and with no e2e and prober; it asks of each that a workflow names", () => {
  environments();
  expect(script("environments.sh")).toMatchObject({ status: 0 });
  environments({ e2e: undefined, prober: undefined });
  expect(script("environments.sh")).toMatchObject({ status: 0 });
  const workflows = filesIn(".github/workflows", ".yml").map((path) => textOf(path));
  const named = workflows.flatMap((text) => Array.from(text.matchAll(/^ +environment: (\S+)/gm), ([, name]) => name));
  expect([...new Set(named)].toSorted()).toEqual(["e2e", "prober", "release"]);
});

describe("pin-docs.mjs", () => {
  const pin = (env = {}) => script("pin-docs.mjs", [git("rev-parse", "v1.4.0"), "v1.4.0"], env);
  const pageOf = (path: string) => readFileSync(world().path("tag", path), "utf8");

  test("writes commit and version into every use, and into nothing else", () => {
    expect(pin()).toEqual({ status: 0, said: "2 pages name v1.4.0\n" });
    const pinned = `${git("rev-parse", "v1.4.0")} # v1.4.0`;
    const use = `      - uses: acme/ephemeral-gpu-runner@${pinned}\n`;
    expect(pageOf("README.md")).toBe(`\`\`\`yaml\n${use}\`\`\`\nUse \`acme/ephemeral-gpu-runner@v1\`.\n`);
    expect(pageOf("docs/page.md")).toContain(`sweep@${pinned}\n`);
    expect(script("pin-docs.mjs", ["v1.4.0", git("rev-parse", "v1.4.0")]).status).not.toBe(0);
  });

  test("pins every use in this repository's pages, and writes the account's name in place of OWNER", () => {
    cpSync(join(ROOT, "README.md"), world().path("tag/README.md"));
    cpSync(join(ROOT, "docs"), world().path("tag/docs"), { recursive: true });
    expect(pin().status).toBe(0);
    const pages = ["README.md", ...filesIn("docs", ".md")];
    // GitHub's own word for who wrote a comment.
    const left = /\bOWNER\b(?!", "MEMBER")|until the first release/;
    expect(pages.filter((page) => left.test(pageOf(page)))).toEqual([]);
    const uses = pages.flatMap((page) => pageOf(page).match(/^ *(?:- )?uses: \S+\/ephemeral-gpu-runner.*$/gm) ?? []);
    expect(uses.length).toBeGreaterThan(5);
    expect(uses.filter((use) => !use.endsWith(`@${git("rev-parse", "v1.4.0")} # v1.4.0`))).toEqual([]);
    expect(pageOf("README.md")).toContain("--repo acme/ephemeral-gpu-runner");
  });

  test("changes nothing where the repository has no name", () => {
    expect(pin({ GITHUB_REPOSITORY: "" }).status).not.toBe(0);
    expect(git("status", "--porcelain")).toBe("");
  });
});

test("open-docs-pull-request.sh pushes a branch and opens a pull request, once", () => {
  const commit = { GITHUB_SHA: git("rev-parse", "HEAD") };
  world().api({});
  expect(script("open-docs-pull-request.sh", ["v1.4.0"], commit).status).toBe(0);
  const calls = world().calls();
  expect(calls).toContain("pr create --base main --head docs-v1.4.0");
  expect(calls).toContain("scripts/release/move-major.sh v1.4.0");
  expect(git("ls-remote", "origin", "docs-v1.4.0")).not.toBe("");
  const again = { status: 0, said: expect.stringContaining("already") };
  expect(script("open-docs-pull-request.sh", ["v1.4.0"], commit)).toMatchObject(again);
  expect(world().calls()).toBe(calls);
});

test("every release script is run by a workflow, by another one, or by a maintainer as docs/internals/releasing.md says", () => {
  const workflows = ["release", "check-dist"].map((name) => textOf(`.github/workflows/${name}.yml`)).join("\n");
  const scripts = filesIn("scripts/release");
  const texts = scripts.map((path) => textOf(path).replaceAll(/^#.*/gm, ""));
  const named = (path: string) => texts.some((text) => text.includes(path.replace("scripts/release/", "")));
  expect(scripts.filter((path) => !workflows.includes(path) && !named(path))).toEqual([]);
  expect(textOf("docs/internals/releasing.md")).toContain("scripts/release/move-major.sh v1.4.0");
});

test("no workflow waits for an event that only a workflow's own token makes: GitHub starts none for it", () => {
  const files = filesIn(".github/workflows", ".yml");
  const events = files.flatMap((file) => Object.keys((parse(textOf(file)) as { on: object }).on));
  expect(events).toContain("push");
  expect(events.filter((event) => ["release", "create", "check_run", "deployment"].includes(event))).toEqual([]);
});
