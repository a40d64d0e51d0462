import { expect, test } from "vitest";
import { parse } from "yaml";
import { SetupTestWorld, type WorldOptions } from "./support/setup-world.ts";

const FOLDER = ".github/workflows";
const RULE = 'unexpected key "cache-mode"';

/** A repository where init was, whose files are on main, and whose workflows GitHub knows. */
async function setUp(options: WorldOptions = {}): Promise<SetupTestWorld> {
  const world = await SetupTestWorld.start(options);
  const env = { RUNNER_TOKEN: world.simulator.github.runnerToken };
  const said = await world.run(["--yes", "--commit", "branch", "--no-follow"], env);
  expect(said.code, said.out + said.err).toBe(0);
  for (const name of ["gpu", "gpu-sweep", "own"])
    world.simulator.github.setup.workflows.set(`${FOLDER}/${name}.yml`, "active");
  return world;
}

test.concurrent("before remove takes keys from workflows that stay it says that they will be red, and disables them; init enables its own", async () => {
  const files = {
    [`${FOLDER}/own.yml`]: "# uses $".concat("{{ secrets.RENTAL_API_KEY }}\n"),
  };
  await using world = await setUp({ files });
  const { workflows } = world.simulator.github.setup;
  const said = await world.run(["remove", "--yes"]);
  expect(said.code, said.out + said.err).toBe(0);
  expect(said.out).toContain("Without their keys these are red at each start, until they are gone from main:");
  expect(said.out.indexOf("own.yml is disabled")).toBeLessThan(said.out.indexOf('", is revoked'));
  expect([...workflows.values()]).toEqual(Array(3).fill("disabled_manually"));
  const env = { RUNNER_TOKEN: world.simulator.github.runnerToken };
  const again = await world.run(["init", "--yes", "--commit", "branch", "--no-follow"], env);
  expect(again.code, again.out + again.err).toBe(0);
  expect(again.out).toContain(`Enable ${FOLDER}/gpu.yml at GitHub, where it is disabled.`);
  expect([...workflows.values()]).toEqual(["active", "active", "disabled_manually"]);
});

test.concurrent("doctor finds a sweep that GitHub disabled, and enables it", async () => {
  await using world = await setUp();
  const { workflows } = world.simulator.github.setup;
  workflows.set(`${FOLDER}/gpu-sweep.yml`, "disabled_inactivity");
  const said = await world.run(["--yes"]);
  expect(said.out).toContain(`✗ ${FOLDER}/gpu-sweep.yml: it is disabled at GitHub.`);
  expect(workflows.get(`${FOLDER}/gpu-sweep.yml`)).toBe("active");
});

test.concurrent("remove lists the open pull request and its branch", async () => {
  await using world = await SetupTestWorld.start();
  await world.run(["--yes", "--no-follow"], { RUNNER_TOKEN: world.simulator.github.runnerToken });
  const said = await world.run(["remove", "--yes"]);
  expect(said.out).toContain("Its pull request is open. Close it: https://github.com/octo/gpu-lib/pull/1");
  expect(said.out).toContain("Its branch is at GitHub. Delete it: git push origin --delete add-gpu-tests");
  expect(world.simulator.github.setup.pulls[0]?.body).toMatch(/rents.*max-cost.*annotation of `rent`/s);
});

test.concurrent.each<[string, Record<string, string>, string]>([
  [
    "a configuration",
    { ".github/actionlint.yml": "# ours\nself-hosted-runner:\n  labels: []\n" },
    ".github/actionlint.yml",
  ],
  [
    "one with rules for other files",
    { ".github/actionlint.yaml": "paths:\n  a.yml:\n    ignore: [x] # y\n" },
    ".github/actionlint.yaml",
  ],
  ["a hook", { ".pre-commit-config.yaml": "repos: [{ repo: rhysd/actionlint }]\n" }, ".github/actionlint.yaml"],
  ["a workflow that runs it", { [`${FOLDER}/lint.yml`]: "# actionlint\n" }, ".github/actionlint.yaml"],
])("a repository with actionlint by %s gets the rule for cache-mode, and what it had stays", async (_, files, path) => {
  await using world = await setUp({ files });
  const text = world.read(path) ?? "";
  const { paths } = parse(text) as { paths: Record<string, { ignore: string[] }> };
  expect(paths[`${FOLDER}/gpu.yml`]?.ignore).toEqual([RULE]);
  for (const line of files[path]?.trimEnd().split("\n") ?? []) expect(text.split("\n")).toContain(line);
  expect(world.git(["show", "--name-only", "--format=", "main"])).toContain(path);
  const doctor = await world.run(["--yes"]);
  expect(doctor.out).toContain("All is as it should be");
});
