import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { makeAppByPage } from "./support/app-page.ts";
import { type Begun, endsWith, SetupTestWorld, test, well } from "./support/setup-world.ts";

const GPU = ".github/workflows/gpu.yml";
const PAGE = /press "Create GitHub App": (\S+)/;
const INSTALL = /installations\/new/;
const WITH_APP = ["--yes", "--register", "app", "--commit", "none", "--gpu", "RTX 3090", "--command", "make gpu"];

/** What the note of a checkout says; undefined: there is none. */
function noteOf(world: SetupTestWorld): string | undefined {
  const path = join(world.repo, ".git/ephemeral-gpu-runner.json");
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}

/** Makes the app by its page, as a person does. */
async function click(begun: Begun): Promise<object> {
  return await makeAppByPage(await begun.says(PAGE));
}

test.concurrent("an app is made by one page, installed by another, proved, and in the workflow", async ({ world }) => {
  const begun = world.begin(["--yes", "--register", "app", "--commit", "none"]);
  expect(await click(begun)).toMatchObject({
    ...{ public: false, default_permissions: { administration: "write" } },
    ...{ hook_attributes: { active: false }, default_events: [] },
  });
  await begun.says(INSTALL);
  const [app] = world.setup.apps;
  app?.installedOn.add("octo/gpu-lib");
  const { out, err } = await well(begun.ended);
  expect(world.secrets("gpu")).toMatchObject({ APP_PRIVATE_KEY: app?.pem.trim() });
  expect(world.read(GPU)).toContain(`client-id: ${app?.clientId}`);
  expect(out + err + world.ghWords).not.toContain("PRIVATE KEY");
  expect(world.github.journal.entries.map(({ operation }) => operation)).toContain("removeRunner");
  expect(world.github.runners()).toEqual([]);
});

const FOR_ORGANISATION = { organization_self_hosted_runners: "write" };
test.concurrent.each([
  ["a repository's", "User", { administration: "write" }, []],
  ["an organisation's, which may do nothing else", "Organization", FOR_ORGANISATION, ["--runner-group-id", "3"]],
] as const)("%s app that is there already is proved by its key", async (_, type, default_permissions, words) => {
  await using world = await SetupTestWorld.start();
  world.setup.shown.ownerType = type;
  world.setup.makeApp({ name: "mine", default_permissions });
  const [app] = world.setup.apps;
  app?.installedOn.add("octo/gpu-lib");
  const given = ["--yes", "--commit", "none", "--app-client-id", app?.clientId ?? "", ...words];
  await well(world.run(given, { APP_PRIVATE_KEY: app?.pem }));
  expect(Object.keys(world.secrets("gpu"))).toEqual(["APP_PRIVATE_KEY", "RENTAL_API_KEY"]);
  expect(world.read(GPU)?.includes("runner-scope: org")).toBe(type === "Organization");
});

test.concurrent("Ctrl-C at the app's page names the app that may be there, and the way by SSH", async ({ world }) => {
  const begun = world.begin(WITH_APP, { SSH_CONNECTION: "192.0.2.7 51234 198.51.100.9 2222" });
  await begun.says(/--register token/);
  begun.stop();
  const done = /Done until then: The environment gpu is there; .*RENTAL_API_KEY is set/s;
  const { out, err } = await endsWith(begun.ended, done, 130);
  const { port } = new URL(PAGE.exec(out)?.[1] ?? "");
  expect(out).toMatch(new RegExp(`ssh -N -L ${port}:127\\.0\\.0\\.1:${port} -p 2222 \\S+@198\\.51\\.100\\.9`));
  const app = /the app (gpu-runners-octo-\w+), if "Create GitHub App" was pressed.*\/settings\/apps\/\1\/advanced/;
  expect(err).toMatch(app);
  expect(err).not.toContain("Nothing was changed");
});

test.concurrent.each(["SIGINT", "SIGKILL"] as const)(
  "as a process: after a %s while the app waits for its installation the next start goes on with the same app and answers, and remove lists it",
  async (how) => {
    await using world = await SetupTestWorld.start();
    const { apps } = world.setup;
    const begun = world.spawn(WITH_APP);
    await click(begun);
    await begun.says(INSTALL);
    begun.stop(how);
    const { code, err } = await begun.ended;
    const [app] = apps;
    if (how === "SIGINT") expect(code, err).toBe(130);
    if (how === "SIGINT") expect(err).toContain(`the app ${app?.slug}, whose key is in the secret APP_PRIVATE_KEY`);
    expect(world.read(GPU)).toBe(undefined);
    expect(noteOf(world)).toContain(app?.clientId);
    expect(noteOf(world)).not.toContain("PRIVATE KEY");
    const second = await well(world.run(["--yes"]));
    expect(second.out).toContain("An earlier start broke off");
    expect(second.out).toContain(`/apps/${app?.slug}/installations/new`);
    expect(apps).toHaveLength(1);
    for (const text of [`client-id: ${app?.clientId}`, "gpu-name: RTX 3090\n", "make gpu"])
      expect(world.read(GPU)).toContain(text);
    expect((await world.run(["remove", "--yes"])).out).toContain(`/settings/apps/${app?.slug}/advanced`);
  },
);

test.concurrent("an app whose key came to no secret is told by the next start", async ({ world }) => {
  const { apps } = world.setup;
  world.makeGh(`case "$*" in *"secret set APP"*) echo "HTTP 503: no" >&2; exit 1 ;; esac`);
  const begun = world.begin(WITH_APP);
  await click(begun);
  const [app] = apps;
  await endsWith(begun.ended, `the app ${app?.slug}, whose key is in no secret`);
  world.makeGh();
  const { out } = await world.run(["--dry-run"]);
  expect(out).toMatch(/made the app \S+, and its key is lost\. Make another key on its page/);
  app?.installedOn.add("octo/gpu-lib");
  // As its page makes another key: the stand-in's app has one.
  await well(world.run(["--yes"], { APP_PRIVATE_KEY: app?.pem }));
  expect(apps).toHaveLength(1);
  expect(world.read(GPU)).toContain(`client-id: ${app?.clientId}`);
});

test.concurrent("GitHub away at any request: a sentence, what is made, and the last start finishes", async ({
  world,
}) => {
  const counter = join(world.folder, "count");
  // Each start meets GitHub once more often than the one before.
  const fails = `n=$(($(cat ${counter}) - 1)); echo $n >${counter}; [ $n -gt 0 ] || { echo "error connecting to api.github.com" >&2; exit 1; }`;
  world.makeGh(`PATH=${process.env.PATH}\n${fails}`);
  const faults: string[] = [];
  // The first nine only look.
  for (let requests = 3, code: number | null = 1; code !== 0; requests += requests < 9 ? 3 : 1) {
    expect(requests).toBeLessThan(60);
    writeFileSync(counter, String(requests));
    const said = await world.run(["--yes", "--no-follow"], { RUNNER_TOKEN: world.github.runnerToken });
    code = said.code;
    if (code !== 0) faults.push(said.err);
  }
  for (const err of faults) {
    expect(err).toMatch(/GitHub did not |gh is not logged in|The token /);
    expect(err).not.toMatch(/\n\s+at /);
  }
  expect(faults.filter((err) => err.includes("Done until then: ")).length).toBeGreaterThan(3);
  expect(world.count("createApiKey") - world.count("deleteApiKey")).toBe(1);
  expect(world.setup.pulls).toHaveLength(1);
  // One that was registered when GitHub went away is named, to be deleted by hand.
  for (const { name } of world.github.runners()) expect(faults.join()).toContain(name);
  expect(noteOf(world)).toBe(undefined);
}, 600_000);

test.concurrent("Ctrl-C while the first run is waited for says that all is made", async ({ world }) => {
  const begun = world.begin(["--yes"], { RUNNER_TOKEN: world.github.runnerToken });
  await begun.says(/The pull request is open/);
  begun.stop();
  const { err } = await endsWith(begun.ended, "Stopped. All is made, and GitHub has started no run yet.", 130);
  expect(err).not.toContain("Nothing was changed");
  expect(noteOf(world)).toBe(undefined);
});
