import { chmodSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { type Said, SetupTestWorld } from "./support/setup-world.ts";

const KEY_NAME = "gpu tests of octo/gpu-lib";
const CHOICE = "$".concat("{{ github.event_name == 'pull_request' && 'gpu-pr' || 'gpu' }}");
const FILES = ["gpu", "gpu-sweep", "gpu-sweep-scheduled"].map((name) => `.github/workflows/${name}.yml`);

/** The secrets of the environment, by their names. */
function secretsOf(world: SetupTestWorld, environment?: string): Record<string, string> {
  return Object.fromEntries(world.simulator.github.setup.secrets(environment).map(({ name, value }) => [name, value]));
}

/** What anybody on the machine could read, or finds on its disk afterwards. */
function expectNoSecret(world: SetupTestWorld, said: Said, secrets: readonly string[]): void {
  const files = FILES.map((path) => world.read(path) ?? "").join("");
  const open = [said.out, said.err, world.ghWords, files, world.git(["log", "--all", "-p"])].join("\n");
  for (const secret of secrets)
    expect(open.includes(secret), `a secret of ${secret.length} characters is open`).toBe(false);
}

test.concurrent("from nothing to a green run: environment, key, secrets, files, pull request, and the run to its end", async () => {
  await using world = await SetupTestWorld.start();
  const { github, service } = world.simulator;
  const said = await world.runWithPull(["--yes"], { RUNNER_TOKEN: github.runnerToken }, "success");
  expect(said.code, said.out + said.err).toBe(0);
  expect(said.out).toMatch(/It waits for your approval \(Review deployments\): http/);
  expect(said.out).toContain("✓ The run is green.");
  expect(github.setup.environments).toEqual(["gpu", "gpu-pr"]);
  expect(github.setup.rulesOf("gpu")).toEqual({ reviewers: [], branches: ["main", "gh-readonly-queue/main/*"] });
  expect(github.setup.rulesOf("gpu-pr").reviewers).toHaveLength(1);
  expect(github.setup.rulesOf("gpu-pr").branches).toBe(undefined);
  expect(secretsOf(world, "gpu-pr")).toEqual(secretsOf(world, "gpu"));
  const { RENTAL_API_KEY: ciKey = "", RUNNER_TOKEN } = secretsOf(world, "gpu");
  expect(RUNNER_TOKEN).toBe(github.runnerToken);
  expect(ciKey).not.toBe(service.apiKey);
  expectNoSecret(world, said, [ciKey, github.runnerToken, service.apiKey]);
  expect(await keysOf(world)).toEqual([
    { name: KEY_NAME, permissions: ["instance_read", "instance_write", "misc", "user_read"] },
  ]);
  expect(github.runners()).toEqual([]);
  expect(github.setup.pulls).toMatchObject([{ head: "add-gpu-tests", base: "main" }]);
  expect(world.git(["show", "--name-only", "--format=", "add-gpu-tests"]).split("\n").sort()).toEqual(
    [...FILES].sort(),
  );
  expect(service.books.total()).toBe(0);
});

/** The account's keys beside its first, as its owner sees them. */
async function keysOf(world: SetupTestWorld) {
  const { url, apiKey } = world.simulator.service;
  const response = await fetch(`${url}/api/v0/auth/apikeys/`, { headers: { authorization: `Bearer ${apiKey}` } });
  const { apikeys } = (await response.json()) as { apikeys: { name: string; permissions?: { api: object } }[] };
  const made = apikeys.filter(({ name }) => name !== "primary");
  return made.map(({ name, permissions }) => ({ name, permissions: Object.keys(permissions?.api ?? {}).sort() }));
}

test.concurrent("a red run is told by its annotation", async () => {
  await using world = await SetupTestWorld.start();
  const env = { RUNNER_TOKEN: world.simulator.github.runnerToken };
  const said = await world.runWithPull(["--yes"], env, "failure");
  expect(said.code).toBe(1);
  expect(said.out).toContain("✗ rent: GPU job failed: 'test' failed. Look at its log.");
  expect(said.err).toContain("The run is red (failure)");
});

test.concurrent("a commit on the default branch starts a run of its own", async () => {
  await using world = await SetupTestWorld.start();
  const env = { RUNNER_TOKEN: world.simulator.github.runnerToken };
  const said = await world.runWithPush(["--yes", "--commit", "branch"], env, "success");
  expect(said.code, said.out + said.err).toBe(0);
  expect(world.simulator.github.setup.pulls).toEqual([]);
});

test.concurrent("run again it is doctor, and finds all as it should be", async () => {
  await using world = await SetupTestWorld.start();
  const env = { RUNNER_TOKEN: world.simulator.github.runnerToken };
  const first = await world.run(["--yes", "--no-follow"], env);
  expect(first.code, first.err).toBe(0);
  const again = await world.run(["--yes"]);
  expect(again.code, again.out + again.err).toBe(0);
  expect(again.out).toContain("The set-up of octo/gpu-lib");
  expect(again.out).toContain("All is as it should be");
  expect(await keysOf(world)).toHaveLength(1);
});

test.concurrent("the workflow has what was asked for, and every action by commit or tag", async () => {
  await using world = await SetupTestWorld.start();
  const words = [
    "--gpu",
    "3090",
    "--max-price",
    "0.5",
    "--max-cost",
    "3",
    "--image",
    "ghcr.io/a/b:1",
    "--command",
    "make gpu",
  ];
  const env = { RUNNER_TOKEN: world.simulator.github.runnerToken };
  const { code, err } = await world.run(["--yes", "--commit", "none", ...words], env);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  const { jobs } = parse(world.read(FILES[0] ?? "") ?? "") as {
    jobs: Record<"rent" | "test", { environment?: string; steps: { uses?: string; with?: object; run?: string }[] }>;
  };
  expect(jobs.rent.steps[0]).toMatchObject({
    uses: "acme/ephemeral-gpu-runner@v1",
    with: { "gpu-name": "RTX 3090", "max-price": 0.5, "max-cost": 3, image: "ghcr.io/a/b:1" },
  });
  expect(jobs.rent.environment).toBe(CHOICE);
  expect(jobs.test.environment).toBe(undefined);
  expect(jobs.test.steps.at(-1)?.run).toBe("make gpu\n");
});

test.concurrent("where pull requests shall rent nothing, there is one environment, and the first run is main's", async () => {
  await using world = await SetupTestWorld.start();
  const { github } = world.simulator;
  const said = await world.run(["--yes", "--no-pull-requests"], { RUNNER_TOKEN: github.runnerToken });
  expect(said.code, said.err).toBe(0);
  expect(github.setup.environments).toEqual(["gpu"]);
  const { on, jobs } = parse(world.read(FILES[0] ?? "") ?? "");
  expect(Object.keys(on)).toEqual(["push", "workflow_dispatch"]);
  expect(jobs.rent.environment).toBe("gpu");
  expect(jobs.test.if).toBe("$".concat("{{ github.actor != 'dependabot[bot]' }}"));
  expect(said.out).toContain("Merge the pull request: the first run starts on main");
});

test.concurrent("where a plan has no reviewers, nothing goes on without a word; --no-reviewers says who can read the secrets", async () => {
  await using world = await SetupTestWorld.start();
  const { github } = world.simulator;
  github.setup.shown.hasReviewers = false;
  const env = { RUNNER_TOKEN: github.runnerToken };
  const first = await world.run(["--yes", "--commit", "none"], env);
  expect(first.code).toBe(1);
  expect(first.err).toMatch(
    /make the environment gpu-pr \(422\).*Done until then: The environment gpu is there.*--no-reviewers/s,
  );
  expect(secretsOf(world, "gpu")).toEqual({});
  const second = await world.run(["--yes", "--commit", "none", "--no-reviewers"], env);
  expect(second.code, second.err).toBe(0);
  expect(second.out).toContain(
    "Make the environment gpu-pr, for every branch: whoever may push one can read its secrets.",
  );
  expect(Object.keys(secretsOf(world, "gpu-pr")).sort()).toEqual(["RENTAL_API_KEY", "RUNNER_TOKEN"]);
});

test.concurrent("an environment that is there keeps its rules, and is told where they keep nobody off", async () => {
  await using world = await SetupTestWorld.start();
  const { github } = world.simulator;
  github.setup.makeEnvironment("gpu");
  github.setup.makeEnvironment("gpu-pr", { reviewers: [7], branches: ["feature/*"] });
  const said = await world.run(["--yes", "--commit", "branch", "--no-follow"], { RUNNER_TOKEN: github.runnerToken });
  expect(said.code, said.err).toBe(0);
  expect(said.out).toContain("Stays: the environment gpu: whoever may push a branch can read its secrets.");
  expect(github.setup.rulesOf("gpu")).toEqual({ reviewers: [] });
  expect(github.setup.rulesOf("gpu-pr")).toEqual({ reviewers: [7], branches: ["feature/*"] });
  const doctor = await world.run(["doctor", "--yes"]);
  expect(doctor.out).toContain(
    "! The environment gpu: whoever may push a branch can read its secrets. Limit it to main and its merge queue",
  );
});

test.concurrent("an environment that lacks the default branch is opened to it", async () => {
  await using world = await SetupTestWorld.start();
  const { github } = world.simulator;
  github.setup.makeEnvironment("gpu", { reviewers: [], branches: ["master"] });
  const said = await world.run(["--yes", "--commit", "none"], { RUNNER_TOKEN: github.runnerToken });
  expect(said.out).toContain("Let main and gh-readonly-queue/main/* use the environment gpu.");
  expect(github.setup.rulesOf("gpu").branches).toEqual(["master", "main", "gh-readonly-queue/main/*"]);
});

test.concurrent("where the plan has no environments, the secrets are the repository's, and no job names one", async () => {
  await using world = await SetupTestWorld.start({ plan: "free" });
  const { github } = world.simulator;
  github.setup.shown.isPrivate = true;
  const said = await world.run(["--yes", "--commit", "none"], { RUNNER_TOKEN: github.runnerToken });
  expect(said.code, said.err).toBe(0);
  expect(Object.keys(secretsOf(world)).sort()).toEqual(["RENTAL_API_KEY", "RUNNER_TOKEN"]);
  expect(FILES.map((path) => world.read(path)).join("")).not.toContain("environment: gpu");
});

test.concurrent("init where all is there and merged starts a run by hand, and follows it", async () => {
  await using world = await SetupTestWorld.start();
  const env = { RUNNER_TOKEN: world.simulator.github.runnerToken };
  await world.run(["--yes", "--commit", "branch", "--no-follow"], env);
  const said = await world.runWithDispatch(["init", "--yes"], env, "success");
  expect(said.code, said.out + said.err).toBe(0);
  expect(world.simulator.github.setup.dispatches).toEqual([{ workflow: "gpu.yml", ref: "main" }]);
  expect(said.out).toContain("✓ The run is green.");
});

test.concurrent("a run is followed through faults of GitHub's own", async () => {
  await using world = await SetupTestWorld.start();
  const { github } = world.simulator;
  const env = { RUNNER_TOKEN: github.runnerToken };
  await world.run(["--yes", "--commit", "branch", "--no-follow"], env);
  github.setFaults([
    { operation: "getRun", kind: "status", status: 502, nth: 1 },
    { operation: "listRunJobs", kind: "status", status: 503, nth: 1 },
  ]);
  const said = await world.runWithDispatch(["init", "--yes"], env, "success");
  expect(said.code, said.out + said.err).toBe(0);
  expect(said.out).toContain("✓ The run is green.");
});

test.concurrent("an image that its registry does not have is red before anything is committed", async () => {
  await using world = await SetupTestWorld.start({ scenario: { registry: { images: { "a/there": 4_000_000_000 } } } });
  const { github, registry } = world.simulator;
  const env = { RUNNER_TOKEN: github.runnerToken };
  const bad = await world.run(
    ["--yes", "--no-follow", "--image", `${registry.host}/a/none@sha256:${"0".repeat(64)}`],
    env,
  );
  expect(bad.code).toBe(1);
  expect(bad.err).toMatch(
    /The check is red: The image: its registry has no .*Nothing was committed and nothing is rented/,
  );
  expect(github.setup.pulls).toEqual([]);
  const good = await world.run(["--yes", "--no-follow", "--image", `${registry.host}/a/there:1`], env);
  expect(good.code, good.err).toBe(0);
  expect(good.out).toContain("4.0 GB.");
});

test.concurrent("hooks of git get no key and no token", async () => {
  await using world = await SetupTestWorld.start();
  const hook = join(world.repo, ".git/hooks/pre-commit");
  world.write(".git/hooks/pre-commit", `#!/bin/sh\necho "$RENTAL_API_KEY|$RUNNER_TOKEN" >"${world.folder}/hook"\n`);
  chmodSync(hook, 0o755);
  const said = await world.run(["--yes", "--no-follow"], { RUNNER_TOKEN: world.simulator.github.runnerToken });
  expect(said.code, said.err).toBe(0);
  expect(readFileSync(join(world.folder, "hook"), "utf8")).toBe("|\n");
});
