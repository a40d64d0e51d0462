import { chmodSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { parse } from "yaml";
import { endsWith, type Said, SetupTestWorld, test, well } from "./support/setup-world.ts";

const CHOICE = "$".concat("{{ github.event_name == 'pull_request' && 'gpu-pr' || 'gpu' }}");
const FILES = ["gpu", "gpu-sweep", "gpu-sweep-scheduled"].map((name) => `.github/workflows/${name}.yml`);
const [GPU = ""] = FILES;

/** What anybody on the machine could read, or finds on its disk afterwards. */
function expectNoSecret(world: SetupTestWorld, said: Said, secrets: readonly string[]): void {
  const files = FILES.map((path) => world.read(path) ?? "").join("");
  const open = [said.out, said.err, world.ghWords, files, world.git(["log", "--all", "-p"])].join("\n");
  for (const secret of secrets)
    expect(open.includes(secret), `a secret of ${secret.length} characters is open`).toBe(false);
}

/** The account's keys beside its first, as its owner sees them. */
async function keysOf({ service }: SetupTestWorld) {
  const headers = { authorization: `Bearer ${service.apiKey}` };
  const { apikeys } = (await (await fetch(`${service.url}/api/v0/auth/apikeys/`, { headers })).json()) as {
    apikeys: { name: string; permissions?: { api: object } }[];
  };
  const made = apikeys.filter(({ name }) => name !== "primary");
  return made.map(({ name, permissions }) => ({ name, permissions: Object.keys(permissions?.api ?? {}).sort() }));
}

test.concurrent("as a process: from nothing to a green run, and no secret is open", async ({ world }) => {
  const begun = world.spawn(["--yes"], { RUNNER_TOKEN: world.github.runnerToken });
  const said = await well(world.playRun(begun, "pull_request"));
  expect(said.out).toMatch(/It waits for your approval \(Review deployments\): http[\s\S]*✓ The run is green\./);
  expect(world.setup.environments).toEqual(["gpu", "gpu-pr"]);
  expect(world.setup.rulesOf("gpu")).toEqual({ reviewers: [], branches: ["main", "gh-readonly-queue/main/*"] });
  expect(world.setup.rulesOf("gpu-pr")).toMatchObject({ reviewers: [expect.anything()] });
  expect(world.setup.rulesOf("gpu-pr").branches).toBe(undefined);
  const { RENTAL_API_KEY: ciKey = "", ...others } = world.secrets("gpu");
  expect(world.secrets("gpu-pr")).toEqual({ RENTAL_API_KEY: ciKey, ...others });
  expect(others).toEqual({ RUNNER_TOKEN: world.github.runnerToken });
  expect(ciKey).not.toBe(world.service.apiKey);
  expectNoSecret(world, said, [ciKey, world.github.runnerToken, world.service.apiKey]);
  const permissions = ["instance_read", "instance_write", "misc", "user_read"];
  expect(await keysOf(world)).toEqual([{ name: "gpu tests of octo/gpu-lib", permissions }]);
  expect(world.github.runners()).toEqual([]);
  expect(world.setup.pulls).toMatchObject([{ head: "add-gpu-tests", base: "main" }]);
  const committed = world.git(["show", "--name-only", "--format=", "add-gpu-tests"]).split("\n");
  expect(committed.sort()).toEqual([...FILES].sort());
  expect(world.service.books.total()).toBe(0);
});

test.concurrent("a red run is told by its annotation", async ({ world }) => {
  const begun = world.begin(["--yes"], { RUNNER_TOKEN: world.github.runnerToken });
  const { out } = await endsWith(world.playRun(begun, "pull_request", "failure"), /The run is red \(failure\)/);
  expect(out).toContain("✗ rent: GPU job failed: 'test' failed. Look at its log.");
});

test.concurrent("a commit on main starts a run, or init where all is merged, through faults", async ({ world }) => {
  const env = { RUNNER_TOKEN: world.github.runnerToken };
  await well(world.playRun(world.begin(["--yes", "--commit", "branch"], env), "push"));
  expect(world.setup.pulls).toEqual([]);
  const once = { kind: "status", nth: 1 } as const;
  const ofRun = { ...once, operation: "getRun", status: 502 } as const;
  world.github.setFaults([ofRun, { ...once, operation: "listRunJobs", status: 503 }]);
  const said = await well(world.playRun(world.begin(["init", "--yes"], env), "workflow_dispatch"));
  expect(world.setup.dispatches).toEqual([{ workflow: "gpu.yml", ref: "main" }]);
  expect(said.out).toContain("✓ The run is green.");
});

test.concurrent("the workflow has what was asked for, and every action by commit or tag", async ({ world }) => {
  const money = ["--gpu", "3090", "--max-price", "0.5", "--max-cost", "3"];
  const options = ["--commit", "none", ...money, "--image", "ghcr.io/a/b:1", "--command", "make gpu"];
  const { err } = await well(world.init(options));
  expect(err).toBe("");
  const { jobs } = parse(world.read(GPU) ?? "");
  expect(jobs.rent.steps[0]).toMatchObject({
    uses: "acme/ephemeral-gpu-runner@v1",
    with: { "gpu-name": "RTX 3090", "max-price": 0.5, "max-cost": 3, image: "ghcr.io/a/b:1" },
  });
  expect(jobs.rent.environment).toBe(CHOICE);
  expect(jobs.test.environment).toBe(undefined);
  expect(jobs.test.steps.at(-1)?.run).toBe("make gpu\n");
});

test.concurrent("where pull requests shall rent nothing, there is one environment", async ({ world }) => {
  const said = await well(world.init(["--no-pull-requests"]));
  expect(world.setup.environments).toEqual(["gpu"]);
  const { on, jobs } = parse(world.read(GPU) ?? "");
  expect(Object.keys(on)).toEqual(["push", "workflow_dispatch"]);
  expect(jobs.rent.environment).toBe("gpu");
  expect(jobs.test.if).toBe("$".concat("{{ github.actor != 'dependabot[bot]' }}"));
  expect(said.out).toContain("Merge the pull request: the first run starts on main");
});

test.concurrent("where a plan has no reviewers, init stops, or says who can read the secrets", async ({ world }) => {
  world.setup.shown.hasReviewers = false;
  const words = /make the environment gpu-pr \(422\).*Done until then: The environment gpu is there.*--no-reviewers/s;
  await endsWith(world.init(["--commit", "none"]), words);
  expect(world.secrets("gpu")).toEqual({});
  const second = await well(world.init(["--commit", "none", "--no-reviewers"]));
  const warned = "Make the environment gpu-pr, for every branch: whoever may push one can read its secrets.";
  expect(second.out).toContain(warned);
  expect(Object.keys(world.secrets("gpu-pr"))).toEqual(["RENTAL_API_KEY", "RUNNER_TOKEN"]);
});

test.concurrent("an environment that lacks the default branch is opened to it", async ({ world }) => {
  world.setup.makeEnvironment("gpu", { reviewers: [], branches: ["master"] });
  const { out } = await world.init(["--commit", "none"]);
  expect(out).toContain("Let main and gh-readonly-queue/main/* use the environment gpu.");
  expect(world.setup.rulesOf("gpu").branches).toEqual(["master", "main", "gh-readonly-queue/main/*"]);
});

test.concurrent("an environment that is there keeps its rules, and is told", async ({ world }) => {
  world.setup.makeEnvironment("gpu");
  world.setup.makeEnvironment("gpu-pr", { reviewers: [7], branches: ["feature/*"] });
  const said = await world.init(["--commit", "branch", "--no-follow"]);
  expect(said.out).toContain("Stays: the environment gpu: whoever may push a branch can read its secrets.");
  expect(world.setup.rulesOf("gpu")).toEqual({ reviewers: [] });
  expect(world.setup.rulesOf("gpu-pr")).toEqual({ reviewers: [7], branches: ["feature/*"] });
  const { out } = await world.run(["doctor", "--yes"]);
  const open = "whoever may push a branch can read its secrets. Limit it to main and its merge queue";
  expect(out).toContain(`! The environment gpu: ${open}`);
});

test.concurrent("where the plan has no environments, the secrets are the repository's, and no job names one", async () => {
  await using world = await SetupTestWorld.start({ plan: "free" });
  world.setup.shown.isPrivate = true;
  const said = await well(world.init(["--commit", "none"]));
  expect(said.out).toContain("the secrets, in the repository, as its plan has no environments");
  expect(Object.keys(world.secrets())).toEqual(["RENTAL_API_KEY", "RUNNER_TOKEN"]);
  expect(FILES.map((path) => world.read(path)).join("")).not.toContain("environment: gpu");
});

test.concurrent("an environment that GitHub does not make is an error", async ({ world }) => {
  Object.assign(world.setup.shown, { isPrivate: true, hasEnvironments: false });
  const words = /GitHub did not make the environment gpu \(404\).*Nothing was changed.*--no-environment/s;
  await endsWith(world.init(["--commit", "none"]), words);
  expect(world.secrets()).toEqual({});
});

test.concurrent("an image that its registry does not have is red before anything is committed", async () => {
  await using world = await SetupTestWorld.start({ scenario: { registry: { images: { "a/there": 4_000_000_000 } } } });
  const { host } = world.simulator.registry;
  const words = /The check is red: The image: its registry has no .*Nothing was committed and nothing is rented/;
  await endsWith(world.init(["--no-follow", "--image", `${host}/a/none@sha256:${"0".repeat(64)}`]), words);
  expect(world.setup.pulls).toEqual([]);
  const good = await well(world.init(["--no-follow", "--image", `${host}/a/there:1`]));
  expect(good.out).toContain("4.0 GB.");
});

test.concurrent("hooks of git get no key and no token", async ({ world }) => {
  world.write(".git/hooks/pre-commit", `#!/bin/sh\necho "$RENTAL_API_KEY|$RUNNER_TOKEN" >"${world.folder}/hook"\n`);
  chmodSync(join(world.repo, ".git/hooks/pre-commit"), 0o755);
  await well(world.init(["--no-follow"]));
  expect(readFileSync(join(world.folder, "hook"), "utf8")).toBe("|\n");
});

test.concurrent("a dry run prints every change, and makes none", async () => {
  await using world = await SetupTestWorld.start({ files: { "test_it.py": "import torch\n" } });
  const { out, err } = await well(world.init(["--dry-run"]));
  expect(err).toBe("");
  for (const change of [
    "Make the environment gpu, for main and gh-readonly-queue/main/* alone.",
    "Make the environment gpu-pr, for every branch: each run of a pull request waits for your approval.",
    'Make the key "gpu tests of octo/gpu-lib"',
    "into the environments gpu and gpu-pr as RUNNER_TOKEN",
    ...FILES.map((path) => `Write ${path}:`),
    "open a pull request",
    "Nothing was changed",
  ])
    expect(out).toContain(change);
  expect(world.github.journal.entries.filter(({ method }) => method !== "GET")).toEqual([]);
  const reads = /^(search|list|get|current)/;
  expect(world.service.journal.entries.filter(({ operation }) => !reads.test(String(operation)))).toEqual([]);
  expect(world.git(["status", "--porcelain"])).toBe("");
});

test.concurrent("it proposes several GPUs, and the market stands beside the price", async ({ world }) => {
  const { out } = await world.run(["--dry-run", "--job-minutes", "40"]);
  expect(out).toMatch(/RTX 4090 +24 GB +9 +0\.31 +0\.35 +0\.002 +0\.\d\d/);
  expect(out).toMatch(/USD\/GB +40-minute job/);
  expect(out).toMatch(/max-price +0\.35 USD/);
  expect(out).toContain("+          gpu-name: RTX 3090, RTX 4090");
  const market = "8 machines below it, RTX 4090 from 0\\.31, RTX 3090 from 0\\.18\\n";
  expect(out).toMatch(new RegExp(`\\+ +max-price: 0\\.35 # USD an hour, proposed on \\d{4}-\\d\\d-\\d\\d, ${market}`));
});
