import { expect, test } from "vitest";
import { makeAppByPage } from "./support/app-page.ts";
import { SetupTestWorld } from "./support/setup-world.ts";

test.concurrent("an app is made by one page, installed by another, proved, and in the workflow", async () => {
  await using world = await SetupTestWorld.start();
  const { github, clock } = world.simulator;
  const { said, ended } = world.begin(["--yes", "--register", "app", "--commit", "none"]);
  let isOver = false;
  void ended.then(() => {
    isOver = true;
  });
  const page = () => /press "Create GitHub App": (\S+)/.exec(said.out)?.[1];
  while (page() === undefined && !isOver) await clock.sleep(500);
  const manifest = await makeAppByPage(page() ?? "");
  expect(manifest).toMatchObject({
    public: false,
    default_permissions: { administration: "write" },
    hook_attributes: { active: false },
    default_events: [],
  });
  while (!said.out.includes("/installations/new") && !isOver) await clock.sleep(500);
  const [app] = github.setup.apps;
  app?.installedOn.add("octo/gpu-lib");
  const { code, out, err } = await ended;
  expect(code, out + err).toBe(0);
  const key = github.setup.secrets("gpu").find(({ name }) => name === "APP_PRIVATE_KEY");
  expect(key?.value).toBe(app?.pem.trim());
  expect(world.read(".github/workflows/gpu.yml")).toContain(`client-id: ${app?.clientId}`);
  expect(out + err + world.ghWords).not.toContain("PRIVATE KEY");
  expect(github.journal.entries.map(({ operation }) => operation)).toContain("removeRunner");
  expect(github.runners()).toEqual([]);
});

test.concurrent("an organisation's app may register its runners and nothing else, and proves it there", async () => {
  await using world = await SetupTestWorld.start();
  const { github } = world.simulator;
  github.setup.shown.ownerType = "Organization";
  const right = { organization_self_hosted_runners: "write" };
  github.setup.makeApp({ name: "mine", default_permissions: right });
  const [app] = github.setup.apps;
  app?.installedOn.add("octo/gpu-lib");
  const words = ["--yes", "--commit", "none", "--app-client-id", app?.clientId ?? "", "--runner-group-id", "3"];
  const said = await world.run(words, { APP_PRIVATE_KEY: app?.pem });
  expect(said.code, said.out + said.err).toBe(0);
  expect(github.journal.entries.map(({ operation }) => operation)).toContain("generateOrgJitConfig");
  expect(world.read(".github/workflows/gpu.yml")).toContain("runner-scope: org\n          runner-group-id: 3\n");
});

test.concurrent("an app that is there already is proved by its key", async () => {
  await using world = await SetupTestWorld.start();
  const { setup } = world.simulator.github;
  setup.makeApp({ name: "mine", default_permissions: { administration: "write" } });
  const [app] = setup.apps;
  app?.installedOn.add("octo/gpu-lib");
  const words = ["--yes", "--commit", "none", "--app-client-id", app?.clientId ?? ""];
  const said = await world.run(words, { APP_PRIVATE_KEY: app?.pem });
  expect(said.code, said.out + said.err).toBe(0);
  expect(
    setup
      .secrets("gpu")
      .map(({ name }) => name)
      .sort(),
  ).toEqual(["APP_PRIVATE_KEY", "RENTAL_API_KEY"]);
});

test.concurrent("an app whose key is none is told so", async () => {
  await using world = await SetupTestWorld.start();
  const words = ["--yes", "--commit", "none", "--app-client-id", "Iv23liEXAMPLE"];
  const said = await world.run(words, { APP_PRIVATE_KEY: "no key at all" });
  expect(said.err).toContain("APP_PRIVATE_KEY is no private key");
});
