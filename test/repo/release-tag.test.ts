import { describe, expect, test } from "vitest";
import { useReleaseWorld } from "./support/release-world.ts";
import { filesIn, textOf } from "./support/repository.ts";

const world = useReleaseWorld();

describe("verify-tag.sh", () => {
  const verify = (tag = "v1.4.0") => world().script("verify-tag.sh", [tag]);

  test("takes the signed tag of a commit on main", () => {
    const commit = world().git("rev-parse", "HEAD");
    expect(verify()).toMatchObject({ status: 0, said: expect.stringContaining(commit) });
  });

  test("takes it also where the checkout left a tag without its signature, as actions/checkout does", () => {
    world().git("tag", "--force", "v1.4.0", "v1.4.0^{commit}");
    expect(verify()).toMatchObject({ status: 0 });
  });

  test.each<[string, () => unknown, RegExp, string?]>([
    ["the plain tag of a major version", () => world().git("tag", "v1"), /not a full version/, "v1"],
    ["a tag that is not there", () => {}, /no such tag/, "v1.4.1"],
    [
      "another commit than the one checked out",
      () => world().git("commit", "--quiet", "--allow-empty", "-m", "x"),
      /not the one that is/,
    ],
    ["a work tree that was touched", () => world().write("action.yml", "x"), /not clean/],
    [
      "another version in package.json",
      () => released("package.json", '{"version": "1.3.9"}'),
      /package.json has another version/,
    ],
    ["nothing in the changelog", () => released("CHANGELOG.md", "# Changelog\n"), /CHANGELOG.md has no heading/],
    [
      "an older release.yml than main's",
      () => world().changeMain(".github/workflows/release.yml", "name: newer\n"),
      /its release.yml is not main's/,
    ],
  ])("refuses %s", (_, change, sentence, tag) => {
    change();
    expect(verify(tag)).toMatchObject({ status: 1, said: expect.stringMatching(sentence) });
  });

  test("refuses a commit that is not in main's history", () => {
    world().git("checkout", "--quiet", "--orphan", "other");
    world().commit("Rewritten");
    world().git("push", "--quiet", "--force", "origin", "other:main");
    world().git("checkout", "--quiet", "v1.4.0");
    expect(verify()).toMatchObject({ status: 1, said: expect.stringMatching(/not on the main branch/) });
  });

  function released(path: string, text: string): void {
    world().write(path, text);
    world().release();
  }

  describe("of the signature", () => {
    test.each<[string, () => void, RegExp]>([
      ["a tag without one", () => pushed("tag", "--force", "v1.4.0", "HEAD"), /is not signed/],
      [
        "an annotated tag without one",
        () => pushed("tag", "--force", "--annotate", "-m", "x", "v1.4.0"),
        /is not signed/,
      ],
      ["a stranger's", () => world().release("v1.4.0", { key: "stranger" }), /no maintainer/],
      ["a maintainer's of another tag under this name", underAnotherName, /names itself v1.3.0/],
      [
        "one of somebody whom main has since removed",
        () => world().changeMain(".github/allowed_signers", world().signer("bob", "stranger")),
        /no maintainer/,
      ],
    ])("refuses %s", (_, change, sentence) => {
      world().git("commit", "--quiet", "--allow-empty", "-m", "More");
      world().git("push", "--quiet", "origin", "HEAD:main");
      change();
      expect(verify()).toMatchObject({ status: 1, said: expect.stringMatching(sentence) });
    });

    test("refuses a stranger whom the tag's own commit makes a maintainer, by a script of its own, too", () => {
      world().write(".github/allowed_signers", world().signer("eve", "stranger"));
      world().write("scripts/release/signed-tag.sh", "exit 0\n");
      world().commit("Eve is one of us");
      world().signedTag("v1.4.0", { key: "stranger" });
      world().git("push", "--quiet", "--force", "origin", "v1.4.0");
      expect(verify()).toMatchObject({ status: 1, said: expect.stringMatching(/no maintainer/) });
    });

    test("hands on what a maintainer says of the bundler in the tag's message, and nothing else of it", () => {
      expect(verify().status).toBe(0);
      expect(world().outputs()).toEqual({ bundler: "" });
      world().write("action.yml", "x");
      world().release("v1.4.0", { message: "v1.4.0\n\nBundler: changed\nBundler: $(id)\n" });
      expect(verify().status).toBe(0);
      expect(world().outputs()).toEqual({ bundler: "changed" });
    });

    function pushed(...args: string[]): void {
      world().git(...args);
      world().git("push", "--quiet", "--force", "origin", "v1.4.0");
    }

    function underAnotherName(): void {
      world().signedTag("v1.3.0");
      world().git("push", "--quiet", "--force", "origin", "v1.3.0:refs/tags/v1.4.0");
    }
  });
});

describe("placeholders.sh", () => {
  const look = () => world().script("placeholders.sh");

  test("is content where each page names the account", () => {
    expect(look()).toEqual({ status: 0, said: "" });
  });

  test.each([".github/CODEOWNERS", ".github/allowed_signers", "SECURITY.md"])(
    "names the line of a placeholder that is left in main's %s, whatever the tag has",
    (path) => {
      world().changeMain(path, "x\n* @OWNER/maintainers\n");
      expect(look()).toMatchObject({ status: 1, said: expect.stringMatching(new RegExp(`${path}:2:.*OWNER`)) });
    },
  );

  test("fails where one of the files is not there at all", () => {
    world().git("checkout", "--quiet", "main");
    world().git("rm", "--quiet", ".github/CODEOWNERS");
    world().git("commit", "--quiet", "-m", "x");
    world().git("push", "--quiet", "origin", "main");
    expect(look()).toMatchObject({ status: 1, said: expect.stringContaining(".github/CODEOWNERS is not there") });
  });
});

test("each file that tells people of the account is one in which placeholders.sh looks, or gets it by the first release", () => {
  const files = ["README.md", "SECURITY.md", "CONTRIBUTING.md", ...filesIn("docs", ".md"), ...filesIn(".github")];
  const telling = files.filter((path) => /\bOWNER\b/.test(textOf(path)));
  const looked = /^(?:SECURITY\.md|\.github\/(?:CODEOWNERS|allowed_signers))$/;
  const pinned = /^(?:README\.md|docs\/.*)$/;
  expect(telling.filter((path) => !looked.test(path) && !pinned.test(path))).toEqual([]);
});

describe("environments.sh", () => {
  const REVIEWED = { type: "required_reviewers", reviewers: [{ type: "Team", reviewer: { slug: "maintainers" } }] };
  const LIMITED = { protected_branches: false, custom_branch_policies: true };
  const root = "repos/acme/ephemeral-gpu-runner/environments";
  const guarded = { protection_rules: [REVIEWED, { type: "branch_policy" }], deployment_branch_policy: LIMITED };
  const policies = (...names: [string, string?][]) => ({
    total_count: names.length,
    branch_policies: names.map(([name, type = "branch"]) => ({ name, type })),
  });
  const ALL = {
    [`${root}/release`]: { protection_rules: [REVIEWED] },
    [`${root}/e2e`]: guarded,
    [`${root}/e2e/deployment-branch-policies`]: policies(["main"]),
    [`${root}/prober`]: guarded,
    [`${root}/prober/deployment-branch-policies`]: policies(["main"]),
  };
  const look = (answers: Record<string, unknown>) => {
    world().api(answers);
    return world().script("environments.sh");
  };

  test("is content with reviewers, and with main alone for those that have a token", () => {
    expect(look(ALL)).toMatchObject({ status: 0 });
  });

  test("is content where a repository of their own has e2e and prober", () => {
    expect(look({ [`${root}/release`]: ALL[`${root}/release`] })).toMatchObject({ status: 0 });
  });

  test.each<[string, Record<string, unknown>, RegExp]>([
    ["no environment release", { [`${root}/release`]: undefined }, /release can't be read/],
    ["release without a rule", { [`${root}/release`]: { protection_rules: [] } }, /release has no required reviewer/],
    ["release without any rules", { [`${root}/release`]: {} }, /release has no required reviewer/],
    [
      "release whose rule names nobody",
      { [`${root}/release`]: { protection_rules: [{ ...REVIEWED, reviewers: [] }] } },
      /release has no required reviewer/,
    ],
    [
      "release with a wait alone",
      { [`${root}/release`]: { protection_rules: [{ type: "wait_timer" }] } },
      /no required/,
    ],
    [
      "e2e without a reviewer",
      { [`${root}/e2e`]: { ...guarded, protection_rules: [] } },
      /e2e has no required reviewer/,
    ],
    [
      "prober for any branch",
      { [`${root}/prober`]: { ...guarded, deployment_branch_policy: null } },
      /prober .* main alone/,
    ],
    [
      "prober for all protected branches",
      {
        [`${root}/prober`]: {
          ...guarded,
          deployment_branch_policy: { protected_branches: true, custom_branch_policies: false },
        },
      },
      /prober .* main alone/,
    ],
    [
      "e2e for main and others",
      { [`${root}/e2e/deployment-branch-policies`]: policies(["main"], ["release/*"]) },
      /e2e .* main alone/,
    ],
    ["e2e for a tag", { [`${root}/e2e/deployment-branch-policies`]: policies(["main", "tag"]) }, /e2e .* main alone/],
  ])("refuses %s", (_, other, sentence) => {
    expect(look({ ...ALL, ...other })).toMatchObject({ status: 1, said: expect.stringMatching(sentence) });
  });

  test("asks of each environment that a workflow names", () => {
    const workflows = filesIn(".github/workflows", ".yml").map((path) => textOf(path));
    const named = workflows.flatMap((text) => Array.from(text.matchAll(/^ +environment: (\S+)/gm), ([, name]) => name));
    expect([...new Set(named)].toSorted()).toEqual(["e2e", "prober", "release"]);
    expect(textOf("scripts/release/environments.sh")).toContain("for name in e2e prober; do");
  });

  test("refuses where GitHub gives no answer: a 502 does not mean that there is no such environment", () => {
    world().api(ALL);
    world().standIn(
      "gh",
      `[[ $* == *e2e* ]] || { echo '${JSON.stringify(ALL[`${root}/release`])}'; exit; }; echo "gh: Bad Gateway (HTTP 502)" >&2; exit 1`,
    );
    expect(world().script("environments.sh")).toMatchObject({
      status: 1,
      said: expect.stringContaining("e2e can't be read"),
    });
  });
});
