import { expect, test } from "vitest";
import { REPOSITORY, SetupTestWorld } from "./support/setup-world.ts";

const GPU = ".github/workflows/gpu.yml";
const SWEEP = ".github/workflows/gpu-sweep.yml";

/** A repository where init was, and whose files were committed to main. */
async function setUp(): Promise<SetupTestWorld> {
  const world = await SetupTestWorld.start();
  const env = { RUNNER_TOKEN: world.simulator.github.runnerToken };
  const said = await world.run(["--yes", "--commit", "branch", "--no-follow"], env);
  expect(said.code, said.out + said.err).toBe(0);
  return world;
}

test.concurrent("doctor names each thing that is wrong, and what to do", async () => {
  await using world = await setUp();
  const { setup } = world.simulator.github;
  const token = setup.secrets("gpu").find(({ name }) => name === "RUNNER_TOKEN");
  setup.setSecret("gpu", "RUNNER_TOKEN", token?.value ?? "", new Date(Date.now() - 85 * 86_400_000).toISOString());
  setup.deleteSecret("gpu", "RENTAL_API_KEY");
  world.write(SWEEP, `${world.read(SWEEP)}# mine\n`);
  const said = await world.run(["doctor", "--dry-run"]);
  expect(said.out).toContain("✗ The secret RENTAL_API_KEY: it is not in gpu.");
  expect(said.out).toMatch(/! The secret RUNNER_TOKEN: it was set 8\d days ago: a token made for 90 days ends/);
  expect(said.out).toContain(`! ${SWEEP}: it was changed by hand, and stays as it is.`);
  expect(said.out).toContain(`✓ ${GPU}: it is as it should be.`);
  expect(said.out).toContain("Nothing was changed");
});

test.concurrent("doctor mends what it may: the key and its secret, a file that was deleted", async () => {
  await using world = await setUp();
  const { setup } = world.simulator.github;
  setup.deleteSecret("gpu", "RENTAL_API_KEY");
  world.git(["rm", "--quiet", SWEEP]);
  const said = await world.run(["doctor", "--yes"]);
  expect(said.code, said.out + said.err).toBe(0);
  expect(setup.secrets("gpu").map(({ name }) => name)).toContain("RENTAL_API_KEY");
  expect(world.read(SWEEP)).toContain("workflow_run:");
  const again = await world.run(["doctor", "--yes"]);
  expect(again.out).toContain("All is as it should be");
});

test.concurrent("doctor repeats what the last run said of its history, and nothing else of its log", async () => {
  await using world = await setUp();
  const { github } = world.simulator;
  const told = async (log: string) => {
    const run = github.addRun({
      repository: REPOSITORY,
      jobs: [{ name: "rent", labels: ["ubuntu-latest"], status: "completed" }],
    });
    run.job("rent").print(log);
    return (await world.run(["doctor", "--yes"])).out.split("\n").find((line) => line.includes("The history"));
  };
  expect((await world.run(["doctor", "--yes"])).out).toContain("? The history: no run has told of one yet.");
  const known = "Known: 31 hosts, 4 that have this image, from run 123 (2h 5m ago)";
  expect(await told(`a line\n${known}; 1 line could not be used\n`)).toMatch(
    /✓ The history: run \d+ said: "Known: 31 hosts, .* ago\)"\.$/,
  );
  expect(await told("Known: 31 hosts, 4 that have \u001b[31mred, from run 123 (1s ago)\n")).toContain(
    "? The history: no run",
  );
});

test.concurrent("doctor without the account's key looks at the rest, and says what it could not ask", async () => {
  await using world = await setUp();
  const said = await world.run(["doctor", "--yes"], { RENTAL_API_KEY: undefined });
  expect(said.code, said.err).toBe(0);
  expect(said.out).toContain("? The rental account: not asked, as RENTAL_API_KEY is not set here.");
});

test.concurrent("doctor where init never was says so", async () => {
  await using world = await SetupTestWorld.start();
  const said = await world.run(["doctor", "--yes"]);
  expect(said.code).toBe(1);
  expect(said.err).toContain("Init was not here");
});

test.concurrent("remove takes back all that init made, and a second one finds nothing", async () => {
  await using world = await setUp();
  const { github, service } = world.simulator;
  const said = await world.run(["init", "remove", "--yes"]);
  expect(said.code, said.out + said.err).toBe(0);
  expect(github.setup.environments).toEqual([]);
  expect(world.read(GPU)).toBe(undefined);
  expect(service.journal.entries.filter(({ operation }) => operation === "deleteApiKey")).toHaveLength(1);
  expect(said.out).toContain("/settings/personal-access-tokens");
  const again = await world.run(["remove", "--yes"]);
  expect(again.out).toContain("Nothing of it is there.");
});

test.concurrent("remove --dry-run says what is to be taken back, and takes nothing", async () => {
  await using world = await setUp();
  const said = await world.run(["remove", "--dry-run"]);
  expect(said.out).toMatch(/– The secret RENTAL_API_KEY of gpu is to be deleted/);
  expect(said.out).not.toMatch(/^ {2}–.* is (?:deleted|revoked)$/m);
  expect(said.out).not.toContain("The account shows no key");
  expect(world.simulator.github.setup.secrets("gpu")).toHaveLength(2);
  expect(world.read(GPU)).toBeDefined();
});

test.concurrent("remove says where to look for the key if the account does not show it", async () => {
  await using world = await setUp();
  const rows = [{ id: 3, permissions: {} }];
  world.simulator.service.setFaults([
    { operation: "listApiKeys", kind: "status", status: 200, body: { apikeys: rows } },
  ]);
  const said = await world.run(["remove", "--dry-run"]);
  expect(said.out).toContain('The account shows no key "gpu tests of ');
  expect(said.out).toContain("https://cloud.vast.ai/manage-keys/");
});

test.concurrent("remove leaves a file that was changed, another's secret in the environment, and so the environment", async () => {
  await using world = await setUp();
  const { setup } = world.simulator.github;
  setup.setSecret("gpu", "THEIRS", "kept");
  world.write(SWEEP, `${world.read(SWEEP)}# mine\n`);
  await world.run(["remove", "--yes"]);
  expect(setup.secrets("gpu").map(({ name }) => name)).toEqual(["THEIRS"]);
  expect(world.read(SWEEP)).toContain("# mine");
  expect(world.read(GPU)).toBe(undefined);
});

test.concurrent("doctor warns of a max-cost or a max-lifetime that leaves less than the job may take, also in a file that was changed by hand", async () => {
  await using world = await setUp();
  const sound = await world.run(["doctor", "--dry-run"]);
  expect(sound.out).toContain("✓ Time: a machine may live for 120 minutes, and its job may take 30.");
  expect(sound.out).toMatch(/✓ Money: max-cost pays one machine for \d+ minutes at max-price/);
  world.write(GPU, (world.read(GPU) ?? "").replace(/timeout-minutes: 30/, "timeout-minutes: 300"));
  const long = await world.run(["doctor", "--dry-run"]);
  expect(long.out).toMatch(/! Money: max-cost pays .* A job may take 300 minutes and its boot 15: raise max-cost\./);
  expect(long.out).toContain(
    "! Time: max-lifetime leaves a machine 120 minutes, and its job may take 300. Raise max-lifetime.",
  );
  world.write(
    GPU,
    (world.read(GPU) ?? "").replace(/max-cost: \d+(\.\d+)?/, "max-cost: 0.05\n          max-lifetime: 8m"),
  );
  const short = await world.run(["doctor", "--dry-run"]);
  expect(short.out).toMatch(
    /✗ Money: max-cost pays one machine for 8 minutes .*, too little for a job\. Raise max-cost\./,
  );
  expect(short.out).toContain(
    "✗ Time: max-lifetime leaves a machine 8 minutes, too little for a job. Raise max-lifetime.",
  );
});
