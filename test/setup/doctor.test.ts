import { expect } from "vitest";
import { parse } from "yaml";
import { endsWith, REPOSITORY, SetupTestWorld, test, well } from "./support/setup-world.ts";

const FOLDER = ".github/workflows";
const GPU = `${FOLDER}/gpu.yml`;
const SWEEP = `${FOLDER}/gpu-sweep.yml`;
const WELL = "All is as it should be";

test.concurrent("as a process: a start without a command is doctor where init was", async ({ setUp: world }) => {
  const said = await well(world.spawn(["--yes"]).ended);
  expect(said.out).toMatch(new RegExp(`The set-up of octo/gpu-lib[\\s\\S]*${WELL}`));
  expect(world.count("createApiKey")).toBe(1);
});

test.concurrent("it names each thing that is wrong, and what to do", async ({ setUp: world }) => {
  const { RUNNER_TOKEN: token = "" } = world.secrets("gpu");
  world.setup.setSecret("gpu", "RUNNER_TOKEN", token, new Date(Date.now() - 85 * 86_400_000).toISOString());
  world.setup.deleteSecret("gpu", "RENTAL_API_KEY");
  world.write(SWEEP, `${world.read(SWEEP)}# mine\n`);
  const { out } = await world.run(["doctor", "--dry-run"]);
  expect(out).toContain("✗ The secret RENTAL_API_KEY: it is not in gpu.");
  expect(out).toMatch(/! The secret RUNNER_TOKEN: it was set 8\d days ago: a token made for 90 days ends/);
  expect(out).toContain(`! ${SWEEP}: it was changed by hand, and stays as it is.`);
  expect(out).toContain(`✓ ${GPU}: it is as it should be.`);
  expect(out).toContain("Nothing was changed");
});

test.concurrent.each<[string, (world: SetupTestWorld) => void]>([
  ["a secret", ({ setup }) => void setup.deleteSecret("gpu", "RENTAL_API_KEY")],
  ["a sweep", (world) => void world.git(["rm", "--quiet", SWEEP])],
  ["the workflow that rents", (world) => void world.git(["rm", "--quiet", GPU])],
  ["its max-cost", (world) => world.write(GPU, (world.read(GPU) ?? "").replace(/ +max-cost: .*\n/, ""))],
  ["what GitHub disabled", ({ setup }) => void setup.workflows.set(SWEEP, "disabled_inactivity")],
])("it repairs %s, keeps the settings, and is content then", async (_, breakIt) => {
  await using world = await SetupTestWorld.startSetUp({}, ["--max-price", "0.77"]);
  breakIt(world);
  const said = await well(world.run(["--yes"]));
  expect(said.out).toMatch(/✗ /);
  expect(Object.keys(world.secrets("gpu"))).toEqual(["RENTAL_API_KEY", "RUNNER_TOKEN"]);
  expect(world.read(GPU)).toMatch(/max-price: 0\.77.*\n +max-cost: \d/);
  expect(world.read(SWEEP)).toContain("workflow_run:");
  expect(world.setup.workflows.get(SWEEP)).toBe("active");
  expect((await world.run(["doctor", "--yes"])).out).toContain(WELL);
});

test.concurrent("it repeats what the last run said of its history alone", async ({ setUp: world }) => {
  const told = async (log?: string) => {
    const jobs = [{ name: "rent", labels: ["ubuntu-latest"], status: "completed" as const }];
    if (log !== undefined) world.github.addRun({ repository: REPOSITORY, jobs }).job("rent").print(log);
    return (await world.run(["doctor", "--yes"])).out.split("\n").find((line) => line.includes("The history"));
  };
  expect(await told()).toContain("? The history: no run has told of one yet.");
  const known = "Known: 31 hosts, 4 that have this image, from run 123 (2h 5m ago)";
  const line = await told(`a line\n${known}; 1 line could not be used\n`);
  expect(line).toMatch(/✓ The history: run \d+ said: "Known: 31 hosts, .* ago\)"\.$/);
  const forged = "Known: 31 hosts, 4 that have \u001b[31mred, from run 123 (1s ago)\n";
  expect(await told(forged)).toContain("? The history: no run");
});

test.concurrent("without the account's key it looks at the rest, and says so", async ({ setUp: world }) => {
  const said = await well(world.run(["doctor", "--yes"], { RENTAL_API_KEY: undefined }));
  expect(said.out).toContain("? The rental account: not asked, as RENTAL_API_KEY is not set here.");
});

test.concurrent("where init never was it says so, and of secrets without a file both ways on", async ({ world }) => {
  await endsWith(world.run(["doctor", "--yes"]), "Init was not here");
  world.setup.makeEnvironment("gpu");
  world.setup.setSecret("gpu", "RUNNER_TOKEN", "of an earlier start");
  const words = /the secret RUNNER_TOKEN is there.*init goes on with it, remove deletes/s;
  await endsWith(world.run(["--yes"]), words);
});

test.concurrent("it warns of a max-cost or a max-lifetime that is too little for the job", async ({ setUp: world }) => {
  const change = (from: RegExp, to: string) => world.write(GPU, (world.read(GPU) ?? "").replace(from, to));
  const look = async () => (await world.run(["doctor", "--dry-run"])).out;
  const sound = await look();
  expect(sound).toContain("✓ Time: a machine may live for 120 minutes, and its job may take 30.");
  expect(sound).toMatch(/✓ Money: max-cost pays one machine for \d+ minutes at max-price/);
  change(/timeout-minutes: 30/, "timeout-minutes: 300");
  const long = await look();
  expect(long).toMatch(/! Money: max-cost pays .* A job may take 300 minutes and its boot 15: raise max-cost\./);
  expect(long).toContain("! Time: max-lifetime leaves a machine 120 minutes, and its job may take 300. Raise");
  change(/max-cost: \d+(\.\d+)?/, "max-cost: 0.05\n          max-lifetime: 8m");
  const short = await look();
  expect(short).toMatch(/✗ Money: max-cost pays one machine for 8 minutes .*, too little for a job\. Raise max-cost\./);
  expect(short).toContain("✗ Time: max-lifetime leaves a machine 8 minutes, too little for a job. Raise");
});

test.concurrent.each<[string, string, string]>([
  ["a configuration", `.github/actionlint.yml`, "# ours\nself-hosted-runner:\n  labels: []\n"],
  ["one with rules for other files", ".github/actionlint.yaml", "paths:\n  a.yml:\n    ignore: [x] # y\n"],
  ["a hook", ".pre-commit-config.yaml", "repos: [{ repo: rhysd/actionlint }]\n"],
  ["a workflow that runs it", `${FOLDER}/lint.yml`, "# actionlint\n"],
])(
  "a repository with actionlint by %s gets the rule for cache-mode, and what it had stays",
  async (_, file, before) => {
    await using world = await SetupTestWorld.startSetUp({ files: { [file]: before } });
    const path = file.includes("/actionlint.") ? file : ".github/actionlint.yaml";
    const text = world.read(path) ?? "";
    expect(parse(text).paths[GPU]?.ignore).toEqual(['unexpected key "cache-mode"']);
    for (const line of path === file ? before.trimEnd().split("\n") : []) expect(text.split("\n")).toContain(line);
    expect(world.git(["show", "--name-only", "--format=", "main"])).toContain(path);
    expect((await world.run(["--yes"])).out).toContain(WELL);
  },
);
