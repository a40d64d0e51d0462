import { expect } from "vitest";
import { SetupTestWorld, test, well } from "./support/setup-world.ts";

const FOLDER = ".github/workflows";
const GPU = `${FOLDER}/gpu.yml`;
const SWEEP = `${FOLDER}/gpu-sweep.yml`;

test.concurrent("as a process: it takes back all that init made", async ({ setUp: world }) => {
  const said = await well(world.spawn(["init", "remove", "--yes"]).ended);
  expect(world.setup.environments).toEqual([]);
  expect(world.read(GPU)).toBe(undefined);
  expect(world.count("deleteApiKey")).toBe(1);
  expect(said.out).toContain("/settings/personal-access-tokens");
  expect((await world.run(["remove", "--yes"])).out).toContain("Nothing of it is there.");
});

test.concurrent("a dry run says what is to be taken back, and takes nothing", async ({ setUp: world }) => {
  const { out } = await world.run(["remove", "--dry-run"]);
  expect(out).toMatch(/– The secret RENTAL_API_KEY of gpu is to be deleted/);
  expect(out).not.toMatch(/^ {2}–.* is (?:deleted|revoked)$/m);
  expect(out).not.toContain("The account shows no key");
  expect(Object.keys(world.secrets("gpu"))).toHaveLength(2);
  expect(world.read(GPU)).toBeDefined();
  const body = { apikeys: [{ id: 3, permissions: {} }] };
  world.service.setFaults([{ operation: "listApiKeys", kind: "status", status: 200, body }]);
  const shown = /The account shows no key "gpu tests of .*https:\/\/cloud\.vast\.ai\/manage-keys\//;
  expect((await world.run(["remove", "--dry-run"])).out).toMatch(shown);
});

test.concurrent("a file that was changed stays, and what holds another's secret", async ({ setUp: world }) => {
  world.setup.setSecret("gpu", "THEIRS", "kept");
  world.write(SWEEP, `${world.read(SWEEP)}# mine\n`);
  await world.run(["remove", "--yes"]);
  expect(world.secrets("gpu")).toEqual({ THEIRS: "kept" });
  expect(world.read(SWEEP)).toContain("# mine");
  expect(world.read(GPU)).toBe(undefined);
});

test.concurrent("before it takes keys from workflows that stay it says that they will be red, and disables them; init enables its own", async () => {
  const own = `${FOLDER}/own.yml`;
  const files = { [own]: "# uses $".concat("{{ secrets.RENTAL_API_KEY }}\n") };
  await using world = await SetupTestWorld.startSetUp({ files });
  const { workflows } = world.setup;
  workflows.set(own, "active");
  const { out } = await world.run(["remove", "--yes"]);
  expect(out).toContain("Without their keys these are red at each start, until they are gone from main:");
  expect(out.indexOf("own.yml is disabled")).toBeLessThan(out.indexOf('", is revoked'));
  expect([...workflows.values()]).toEqual(Array(3).fill("disabled_manually"));
  const again = await well(world.init(["--commit", "branch", "--no-follow"]));
  expect(again.out).toContain(`Enable ${GPU} at GitHub, where it is disabled.`);
  expect([...workflows.values()]).toEqual(["active", "active", "disabled_manually"]);
});

test.concurrent("it lists the open pull request and its branch", async ({ world }) => {
  await world.init(["--no-follow"]);
  const { out } = await world.run(["remove", "--yes"]);
  expect(out).toContain("Its pull request is open. Close it: https://github.com/octo/gpu-lib/pull/1");
  expect(out).toContain("Its branch is at GitHub. Delete it: git push origin --delete add-gpu-tests");
  expect(world.setup.pulls[0]?.body).toMatch(/rents.*max-cost.*annotation of `rent`/s);
});
