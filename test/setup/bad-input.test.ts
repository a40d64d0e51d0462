import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { endsWith, READER, SetupTestWorld, test, type WorldOptions, well } from "./support/setup-world.ts";

const SWEEP = ".github/workflows/gpu-sweep.yml";

interface Row {
  what: string;
  options?: WorldOptions;
  /** Done before the command. */
  first?: (world: SetupTestWorld) => void;
  words?: string[];
  env?: Record<string, string | undefined>;
  says: RegExp;
  /** What is checked out differs from what is committed before the command, too. */
  isDirty?: true;
}

const row = (what: string, says: RegExp, more: Omit<Row, "what" | "says"> = {}): Row => ({ what, says, ...more });

const ROWS: Row[] = [
  row("no repository", /is in no git repository/, { words: ["--repo", "/", "--yes"] }),
  row("a bare repository", /is a bare repository, which has no files/, { words: ["--yes", "--repo", "../origin.git"] }),
  row("a repository without a commit", /has no commit yet/, {
    first: (world) => void rmSync(join(world.repo, ".git/refs/heads/main")),
    isDirty: true,
  }),
  row("a repository that was never pushed", /GitHub has no branch main of octo\/gpu-lib/, {
    first: ({ setup }) => void setup.branches.clear(),
  }),
  row("a detached head, and a commit on the branch", /can't be committed: no branch is checked out/, {
    first: (world) => void world.git(["checkout", "--quiet", "--detach"]),
    words: ["--yes", "--commit", "branch"],
  }),
  row("a protected branch, and a commit on it", /can't be committed: the branch main is protected/, {
    first: ({ setup }) => void setup.branches.set("main", { isProtected: true }),
    words: ["--yes", "--commit", "branch"],
  }),
  row("a gpu.yml of somebody else's", /gpu\.yml is not init's own.*git mv \.github\/workflows\/gpu\.yml/s, {
    options: { files: { ".github/workflows/gpu.yml": "name: theirs\n" } },
  }),
  row("no remote", /no remote named origin/, { options: { origin: null } }),
  row("a remote that is no repository of GitHub", /is no repository of GitHub/, {
    options: { origin: "../elsewhere" },
  }),
  row("a repository that GitHub does not show", /shows no repository octo\/nowhere/, {
    options: { origin: "git@github.com:octo/nowhere.git" },
  }),
  row("no gh", /gh, is not installed\. Nothing was changed/, { options: { gh: "none" } }),
  row("gh that is not logged in", /gh is not logged in/, { env: { GH_TOKEN: "gho_unknown" } }),
  row("no admin right", /don't administer octo\/gpu-lib/, { options: { isAdmin: false } }),
  row("no key", /no key of the rental service/, { env: { RENTAL_API_KEY: undefined } }),
  row("a wrong key", /does not take this key/, { env: { RENTAL_API_KEY: "wrong-key-of-somebody" } }),
  row("a key with too few rights", /lacks user_write/, {
    options: { scenario: { keys: [{ key: "restricted-key-1", scopes: ["misc", "user_read"] }] } },
    env: { RENTAL_API_KEY: "restricted-key-1" },
  }),
  row("a key that may not even read the account", /lacks user_read/, {
    options: { scenario: { keys: [{ key: "restricted-key-2", scopes: ["misc"] }] } },
    env: { RENTAL_API_KEY: "restricted-key-2" },
  }),
  row("no credit", /has no credit/, { options: { scenario: { user: { credit: 0 } } } }),
  row("an e-mail address that is not verified", /is not verified/, {
    options: { scenario: { user: { email_verified: false } } },
  }),
  row("no offer", /No machine with one GPU is on offer now/, { options: { scenario: { offers: [] } } }),
  row("a GPU that nobody has", /Nobody offers a machine with one RTX 5090 now\..*Take one of these: RTX 4090/s, {
    words: ["--yes", "--gpu", "RTX 5090"],
  }),
  row("nothing that registers runners", /Nothing was given that may register runners/, {
    env: { RUNNER_TOKEN: undefined },
  }),
  row("a token that GitHub does not know", /\(401\).*GitHub does not know this token: it ended, was revoked/s, {
    env: { RUNNER_TOKEN: "github_pat_wrong_one" },
  }),
  row("a token that may not register runners", /\(403\).*It needs Administration: Read and write on octo\/gpu-lib/s, {
    env: { RUNNER_TOKEN: READER },
  }),
  row("an app's key without its id", /Give --app-client-id/, {
    env: { RUNNER_TOKEN: undefined, APP_PRIVATE_KEY: "pem-of-an-app" },
  }),
  row("an app's key that is none", /APP_PRIVATE_KEY is no private key/, {
    words: ["--yes", "--app-client-id", "Iv1.0000000000000000"],
    env: { RUNNER_TOKEN: undefined, APP_PRIVATE_KEY: "pem-of-an-app" },
  }),
  row("no terminal, and no --yes", /This is no terminal/, { words: [] }),
  row("an unknown option", /Unknown option '--api-key'/, { words: ["--api-key", "x"] }),
  row("a service by plain http", /must be an https address/, { env: { RENTAL_API_URL: "http://example.com" } }),
];

test.concurrent.each(ROWS)(
  "$what is one sentence, and nothing is changed",
  async ({ options, first, words = ["--yes"], env, says, isDirty }) => {
    await using world = await SetupTestWorld.start(options);
    first?.(world);
    const { err } = await endsWith(world.run(words, { RUNNER_TOKEN: world.github.runnerToken, ...env }), says);
    expect(err, "no stack").not.toMatch(/\n\s+at /);
    expect(world.setup.environments).toEqual([]);
    expect(world.secrets()).toEqual({});
    expect(world.github.runners()).toEqual([]);
    expect(world.count("createApiKey")).toBe(0);
    if (!isDirty) expect(world.git(["status", "--porcelain"])).toBe("");
  },
);

test.concurrent("without gh each step is told by hand, with its link", async () => {
  await using world = await SetupTestWorld.start({ gh: "none" });
  const { out } = await world.run([]);
  expect(out.match(/^ {2}\d\. .*https?:\/\//gm)?.length).toBeGreaterThanOrEqual(5);
});

test.concurrent("a file and a secret that are there and not init's own are never touched, and no link is written through", async () => {
  await using world = await SetupTestWorld.start({ files: { [SWEEP]: "name: theirs\n" } });
  const scheduled = SWEEP.replace(".yml", "-scheduled.yml");
  symlinkSync(join(world.folder, "elsewhere"), join(world.repo, scheduled));
  world.setup.setSecret(undefined, "RENTAL_API_KEY", "of somebody");
  const said = await world.init(["--commit", "none"]);
  expect(said.out).toContain(`Stays: ${SWEEP}, which is not init's own.`);
  expect(said.out).toContain(`Stays: ${scheduled}, which is no plain file`);
  expect(said.out).toContain("Stays: the secret RENTAL_API_KEY, which init did not make.");
  expect(world.read(SWEEP)).toBe("name: theirs\n");
  expect(world.read("../elsewhere")).toBe(undefined);
  expect(world.secrets()).toEqual({ RENTAL_API_KEY: "of somebody" });
  expect(world.count("createApiKey")).toBe(0);
});

test.concurrent("whatever is not on GitHub stays out of the pull request, and in the checkout", async ({ world }) => {
  world.write("other.txt", "unpushed\n");
  world.git(["add", "other.txt"]);
  world.git(["commit", "--quiet", "--message", "Not on GitHub"]);
  world.git(["checkout", "--quiet", "--detach"]);
  world.write("README.md", "# Mine\n");
  world.write("staged.txt", "x\n");
  world.git(["add", "staged.txt"]);
  const said = await well(world.init(["--no-follow"]));
  expect(said.out).toContain("You are on that branch now, with whatever is not committed: git switch - goes back.");
  const files = world.git(["diff", "--name-only", "origin/main", "add-gpu-tests"]).split("\n");
  expect(files.filter((path) => !path.startsWith(".github/workflows/gpu"))).toEqual([]);
  expect(world.git(["status", "--porcelain"]).split("\n")).toEqual(["M README.md", "A  staged.txt"]);
});

test.concurrent("work that is in the way of the new branch is told, with the way out", async ({ world }) => {
  world.write("README.md", "# Committed\n");
  world.git(["commit", "--quiet", "--all", "--message", "Not on GitHub"]);
  world.write("README.md", "# Mine\n");
  await endsWith(world.init(["--no-follow"]), /would be overwritten.*Done until then: .*git stash/s);
  expect(world.read("README.md")).toBe("# Mine\n");
});

test.concurrent("a push that is refused is told with what was made, and the next start goes on", async ({ world }) => {
  const hook = join(world.folder, "origin.git/hooks/pre-receive");
  mkdirSync(dirname(hook), { recursive: true });
  writeFileSync(hook, "#!/bin/sh\necho 'GH006: Protected branch update failed' >&2\nexit 1\n", { mode: 0o755 });
  const words = /git push failed.*GH006.*Done until then: .*--commit pull-request/s;
  await endsWith(world.init(["--commit", "branch", "--no-follow"]), words);
  rmSync(hook);
  await well(world.init(["--commit", "pull-request", "--no-follow"]));
  expect(world.setup.pulls).toHaveLength(1);
});

test.concurrent("one that broke off half way is finished by the next, and leaves one key", async ({ world }) => {
  // A folder that nothing can be written into.
  writeFileSync(join(world.repo, ".github"), "in the way\n");
  await endsWith(world.init(["--commit", "none"]), /Done until then: .*RENTAL_API_KEY is set; .*Run this again/s);
  rmSync(join(world.repo, ".github"));
  // As if it had been killed right before it set the secret.
  world.setup.deleteSecret("gpu", "RENTAL_API_KEY");
  const second = await well(world.init(["--commit", "none"]));
  expect(second.out).toContain("The key of an earlier start");
  expect([world.count("createApiKey"), world.count("deleteApiKey")]).toEqual([2, 1]);
  expect(Object.keys(world.secrets("gpu"))).toEqual(["RENTAL_API_KEY", "RUNNER_TOKEN"]);
});

test.concurrent("a secret that can't be set takes the key that was made for it along", async ({ world }) => {
  world.makeGh('[ "$1" != secret ] || { echo "HTTP 403: Forbidden" >&2; exit 1; }');
  await endsWith(world.init(), /set the secret RENTAL_API_KEY \(403\)/);
  expect(world.count("deleteApiKey")).toBe(1);
  expect(world.git(["status", "--porcelain"])).toBe("");
});
