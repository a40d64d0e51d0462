import { expect, test } from "vitest";
import { SetupTestWorld } from "./support/setup-world.ts";

/** As a browser does: opens the page on loopback, sends its form to GitHub, and follows the way back. */
async function makeAppByPage(page: string): Promise<object> {
  const html = await (await fetch(page)).text();
  const [, action = ""] = /action="([^"]+)"/.exec(html) ?? [];
  const [, manifest = ""] = /name="manifest" value="([^"]+)"/.exec(html) ?? [];
  const plain = manifest.replaceAll("&quot;", '"').replaceAll("&lt;", "<").replaceAll("&amp;", "&");
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const body = new URLSearchParams({ manifest: plain }).toString();
  const answer = await fetch(action.replaceAll("&amp;", "&"), { method: "POST", headers, body, redirect: "manual" });
  const back = answer.headers.get("location") ?? "";
  // Another page of the browser, which does not know the state, is sent away.
  expect((await fetch(back.replace(/state=[^&]+/, "state=guessed"))).status).toBe(404);
  expect((await fetch(back)).status).toBe(200);
  return JSON.parse(plain) as object;
}

test("an app is made by one page, installed by another, proved, and in the workflow", async () => {
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

test("an app that is there already is proved by its key", async () => {
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

test("an app whose key is none is told so", async () => {
  await using world = await SetupTestWorld.start();
  const words = ["--yes", "--commit", "none", "--app-client-id", "Iv23liEXAMPLE"];
  const said = await world.run(words, { APP_PRIVATE_KEY: "no key at all" });
  expect(said.err).toContain("APP_PRIVATE_KEY is no private key");
});
