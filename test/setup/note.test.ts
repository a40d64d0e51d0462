import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeAppByPage } from "./support/app-page.ts";
import { type Said, SetupTestWorld } from "./support/setup-world.ts";

const GPU = ".github/workflows/gpu.yml";
const SWEEP = ".github/workflows/gpu-sweep.yml";
const WITH_APP = ["--yes", "--register", "app", "--commit", "none", "--gpu", "RTX 3090", "--command", "make gpu"];

/** The name of the app that init asks for: the repository's own, so that a second one can't come about unseen. */
async function appName({ simulator: { github } }: SetupTestWorld): Promise<string> {
  const headers = { authorization: `Bearer ${github.runnerToken}` };
  const { id } = (await (await fetch(`${github.url}/repos/octo/gpu-lib`, { headers })).json()) as { id: number };
  return `gpu-runners-octo-${id.toString(36)}`;
}

/** Starts init, does `first` once this is on the screen, then presses Ctrl-C, or ends it at once. */
async function stopAt(world: SetupTestWorld, said: RegExp, how: NodeJS.Signals, words = WITH_APP): Promise<Said> {
  const started = world.begin(words);
  let isOver = false;
  void started.ended.then(() => {
    isOver = true;
  });
  const page = /press "Create GitHub App": (\S+)/;
  while (!page.test(started.said.out) && !isOver) await world.simulator.clock.sleep(100);
  if (said.source !== page.source) await makeAppByPage(page.exec(started.said.out)?.[1] ?? "");
  while (!said.test(started.said.out) && !isOver) await world.simulator.clock.sleep(100);
  started.child.kill(how);
  return await started.ended;
}

/** What the note of a checkout says; undefined: there is none. */
function noteOf(world: SetupTestWorld): string | undefined {
  const path = join(world.repo, ".git/ephemeral-gpu-runner.json");
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}

test.concurrent("Ctrl-C while the app's page waits names the app that may be there, and what else is made", async () => {
  await using world = await SetupTestWorld.start();
  const stopped = await stopAt(world, /press "Create GitHub App": (\S+)/, "SIGINT");
  expect(stopped.code, stopped.out + stopped.err).toBe(130);
  expect(stopped.err).toMatch(/Done until then: The environment gpu is there; .*RENTAL_API_KEY is set/s);
  const name = await appName(world);
  expect(stopped.err).toContain(`the app ${name}, if "Create GitHub App" was pressed`);
  expect(stopped.err).toContain(`/settings/apps/${name}/advanced`);
  expect(stopped.err).not.toContain("Nothing was changed");
});

test.concurrent.each(["SIGINT", "SIGKILL"] as const)(
  "after a %s while the app waits for its installation the next start goes on with the same app and answers, and remove lists it",
  async (how) => {
    await using world = await SetupTestWorld.start();
    const { setup } = world.simulator.github;
    const stopped = await stopAt(world, /installations\/new/, how);
    const [app] = setup.apps;
    if (how === "SIGINT") {
      expect(stopped.code, stopped.out + stopped.err).toBe(130);
      expect(stopped.err).toContain(`the app ${app?.slug}, whose key is in the secret APP_PRIVATE_KEY`);
    }
    expect(world.read(GPU)).toBe(undefined);
    expect(noteOf(world)).toContain(app?.clientId);
    expect(noteOf(world)).not.toContain("PRIVATE KEY");
    const second = await world.run(["--yes"]);
    expect(second.code, second.out + second.err).toBe(0);
    expect(second.out).toContain("An earlier start broke off");
    expect(second.out).toContain(`/apps/${app?.slug}/installations/new`);
    expect(setup.apps).toHaveLength(1);
    for (const text of [`client-id: ${app?.clientId}`, "gpu-name: RTX 3090\n", "make gpu"])
      expect(world.read(GPU)).toContain(text);
    const removed = await world.run(["remove", "--yes"]);
    expect(removed.out).toContain(`/settings/apps/${app?.slug}/advanced`);
  },
);

test.concurrent("an app whose key came to no secret is told by the next start, with both ways out", async () => {
  await using world = await SetupTestWorld.start();
  const { setup } = world.simulator.github;
  const gh = join(world.folder, "bin/gh");
  const plain = readFileSync(gh, "utf8");
  const fails = `case "$*" in *"secret set APP"*) echo "HTTP 503: no" >&2; exit 1 ;; esac`;
  writeFileSync(gh, `#!/bin/sh\n${fails}\n${world.ghLine}\n`);
  const first = await stopAt(world, /never said/, "SIGINT");
  expect(first.code).toBe(1);
  const [app] = setup.apps;
  expect(first.err).toContain(`the app ${app?.slug}, whose key is in no secret`);
  writeFileSync(gh, plain);
  const without = await world.run(["--dry-run"]);
  expect(without.out).toMatch(/made the app \S+, and its key is lost\. Make another key on its page/);
  app?.installedOn.add("octo/gpu-lib");
  // As its page makes another key: the stand-in's app has one.
  const second = await world.run(["--yes"], { APP_PRIVATE_KEY: app?.pem });
  expect(second.code, second.out + second.err).toBe(0);
  expect(setup.apps).toHaveLength(1);
  expect(world.read(GPU)).toContain(`client-id: ${app?.clientId}`);
});

test.concurrent("GitHub away at one request after another: a sentence each, what is made is told, and the last start finishes with one key", async () => {
  await using world = await SetupTestWorld.start();
  const { github, service } = world.simulator;
  const gh = join(world.folder, "bin/gh");
  const counter = join(world.folder, "count");
  // Each start meets GitHub once more often than the one before.
  const fails = `n=$(($(cat ${counter}) - 1)); echo $n >${counter}; [ $n -gt 0 ] || { echo "error connecting to api.github.com" >&2; exit 1; }`;
  writeFileSync(gh, `#!/bin/sh\nPATH=${process.env.PATH}\n${fails}\n${world.ghLine}\n`);
  chmodSync(gh, 0o755);
  const env = { RUNNER_TOKEN: github.runnerToken };
  const said: Said[] = [];
  // The first nine only look.
  for (let requests = 3; said.at(-1)?.code !== 0; requests += requests < 9 ? 3 : 1) {
    expect(requests).toBeLessThan(60);
    writeFileSync(counter, String(requests));
    said.push(await world.run(["--yes", "--no-follow"], env));
  }
  for (const { err } of said.slice(0, -1)) {
    expect(err).toMatch(/GitHub did not |gh is not logged in|The token /);
    expect(err).not.toMatch(/\n\s+at /);
  }
  expect(said.filter(({ err }) => err.includes("Done until then: ")).length).toBeGreaterThan(3);
  const operations = service.journal.entries.map(({ operation }) => operation);
  const count = (name: string) => operations.filter((each) => each === name).length;
  expect(count("createApiKey") - count("deleteApiKey")).toBe(1);
  expect(github.setup.pulls).toHaveLength(1);
  // One that was registered when GitHub went away is named, to be deleted by hand.
  for (const { name } of github.runners()) expect(said.some(({ err }) => err.includes(name))).toBe(true);
  expect(noteOf(world)).toBe(undefined);
}, 600_000);

test.concurrent.each<[string, (world: SetupTestWorld) => void]>([
  ["a secret", ({ simulator }) => void simulator.github.setup.deleteSecret("gpu", "RENTAL_API_KEY")],
  ["a file", (world) => void world.git(["rm", "--quiet", SWEEP])],
  ["the workflow itself", (world) => void world.git(["rm", "--quiet", GPU])],
])(
  "without a note, and with %s gone, a start without a command is doctor, and keeps the settings",
  async (_, breakIt) => {
    await using world = await SetupTestWorld.start();
    const words = ["--yes", "--commit", "branch", "--no-follow", "--max-price", "0.77"];
    await world.run(words, { RUNNER_TOKEN: world.simulator.github.runnerToken });
    breakIt(world);
    const said = await world.run(["--yes"]);
    expect(said.code, said.out + said.err).toBe(0);
    expect(said.out).toContain("The set-up of octo/gpu-lib");
    expect(world.read(GPU)).toContain("max-price: 0.77");
    expect(world.read(SWEEP)).toContain("workflow_run:");
  },
);

test.concurrent("secrets without a file are told by doctor, with both ways on", async () => {
  await using world = await SetupTestWorld.start();
  world.simulator.github.setup.makeEnvironment("gpu");
  world.simulator.github.setup.setSecret("gpu", "RUNNER_TOKEN", "of an earlier start");
  const said = await world.run(["--yes"]);
  expect(said.code).toBe(1);
  expect(said.err).toMatch(/the secret RUNNER_TOKEN is there.*init goes on with it, remove deletes/s);
});

test.concurrent("Ctrl-C while the first run is waited for says that all is made, and leaves no note", async () => {
  await using world = await SetupTestWorld.start();
  const { child, said, ended } = world.begin(["--yes"], { RUNNER_TOKEN: world.simulator.github.runnerToken });
  let isOver = false;
  void ended.then(() => {
    isOver = true;
  });
  while (!said.out.includes("The pull request is open") && !isOver) await world.simulator.clock.sleep(100);
  child.kill("SIGINT");
  const { code, err } = await ended;
  expect(code, err).toBe(130);
  expect(err).toContain("Stopped. All is made, and GitHub has started no run yet.");
  expect(err).not.toContain("Nothing was changed");
  expect(noteOf(world)).toBe(undefined);
});

test.concurrent("by SSH the app's page is told with the line that leads there", async () => {
  await using world = await SetupTestWorld.start();
  const { child, said, ended } = world.begin(WITH_APP, { SSH_CONNECTION: "192.0.2.7 51234 198.51.100.9 2222" });
  let isOver = false;
  void ended.then(() => {
    isOver = true;
  });
  while (!/--register token/.test(said.out) && !isOver) await world.simulator.clock.sleep(100);
  child.kill("SIGINT");
  await ended;
  const [, port] = /press "Create GitHub App": http:\/\/127\.0\.0\.1:(\d+)/.exec(said.out) ?? [];
  expect(said.out).toMatch(new RegExp(`ssh -N -L ${port}:127\\.0\\.0\\.1:${port} -p 2222 \\S+@198\\.51\\.100\\.9`));
});
