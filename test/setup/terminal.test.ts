import { execFileSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeAppByPage } from "./support/app-page.ts";
import { SetupTestWorld } from "./support/setup-world.ts";

/** What init asks after the account's key, in its order. */
const QUESTIONS = [
  /Which GPUs/,
  /The GPU job's command/,
  /What registers the runners\?/,
  /What should happen to the files\?/,
  /Do all this\?/,
];

const hasTmux = (() => {
  try {
    execFileSync("tmux", ["-V"]);
    return true;
  } catch {
    return false;
  }
})();

/** The program at a real terminal, 200 columns wide, and somebody who types. */
class Terminal implements AsyncDisposable {
  readonly #socket: string;
  readonly #world: SetupTestWorld;

  constructor(world: SetupTestWorld, words: string[], more: Record<string, string | undefined> = {}) {
    this.#world = world;
    this.#socket = join(world.folder, "tmux");
    const env = Object.entries(world.env(more)).flatMap(([name, value]) => ["-e", `${name}=${value}`]);
    const program = [process.execPath, new URL("../../setup/main.ts", import.meta.url).pathname, ...words];
    // tmux gives a session the PATH of whoever started it, whatever else it is given.
    const path = join(world.folder, "bin");
    // Ctrl-C goes to the shell, too.
    const line = `trap : INT; PATH='${path}' ${program.map((word) => `'${word}'`).join(" ")}; echo "ended with $?"; exec /bin/sleep 600`;
    this.#tmux(["new-session", "-d", "-x", "200", "-y", "400", "-c", world.repo, ...env, "/bin/sh", "-c", line]);
  }

  #tmux(words: string[]): string {
    return execFileSync("tmux", ["-S", this.#socket, ...words], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
  }

  get screen(): string {
    return this.#tmux(["capture-pane", "-p", "-J"]);
  }

  /** Waits until this is on the screen. */
  async until(said: RegExp): Promise<void> {
    for (let looks = 0; !said.test(this.screen); looks += 1) {
      if (looks > 400 || /ended with/.test(this.screen)) throw new Error(`No ${said} on the screen:\n${this.screen}`);
      await this.#world.simulator.clock.sleep(2000);
    }
  }

  /** Waits for a question, and types. */
  async answer(question: RegExp, ...keys: string[]): Promise<void> {
    await this.until(question);
    this.#tmux(["send-keys", ...keys]);
  }

  async ended(): Promise<string> {
    while (!/ended with \d+/.test(this.screen)) await this.#world.simulator.clock.sleep(2000);
    return this.screen;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#tmux(["kill-server"]);
  }
}

test
  .skipIf(!hasTmux)
  .concurrent(
    "at a terminal: six questions, and Enter alone takes what is proposed; no secret is on the screen",
    async () => {
      await using world = await SetupTestWorld.start();
      const { github, service } = world.simulator;
      await using terminal = new Terminal(world, ["--register", "token", "--no-follow"], { RENTAL_API_KEY: undefined });
      await terminal.answer(/The account's API key/, service.apiKey, "Enter");
      await terminal.answer(/Which GPUs/, "Enter");
      await terminal.answer(/The GPU job's command/, "Enter");
      await terminal.answer(/The token/, github.runnerToken, "Enter");
      await terminal.answer(/What should happen to the files\?/, "Enter");
      await terminal.answer(/Do all this\?/, "Enter");
      const screen = await terminal.ended();
      expect(screen).toContain("ended with 0");
      expect(screen).not.toContain(service.apiKey);
      expect(screen).not.toContain(github.runnerToken);
      expect(github.setup.pulls).toHaveLength(1);
      expect(
        github.setup
          .secrets("gpu")
          .map(({ name }) => name)
          .sort(),
      ).toEqual(["RENTAL_API_KEY", "RUNNER_TOKEN"]);
    },
  );

test
  .skipIf(!hasTmux)
  .concurrent("at a terminal with nothing given: six questions, Enter alone, and an app by two clicks", async () => {
    await using world = await SetupTestWorld.start();
    const { github, service } = world.simulator;
    await using terminal = new Terminal(world, ["--no-follow"], { RENTAL_API_KEY: undefined });
    await terminal.answer(/The account's API key/, service.apiKey, "Enter");
    for (const question of QUESTIONS) await terminal.answer(question, "Enter");
    const page = /press "Create GitHub App": (\S+)/;
    await terminal.until(page);
    await makeAppByPage(page.exec(terminal.screen)?.[1] ?? "");
    await terminal.until(/installations\/new/);
    github.setup.apps[0]?.installedOn.add("octo/gpu-lib");
    const screen = await terminal.ended();
    expect(screen).toContain("ended with 0");
    expect(screen.match(/^◇ /gm)).toHaveLength(6);
    expect(github.setup.pulls).toHaveLength(1);
  });

test.skipIf(!hasTmux).concurrent.each([
  ["the app's page", /press "Create GitHub App"/, /the app gpu-runners-octo-\w+, if "Create GitHub App" was pressed/],
  ["the app's installation", /installations\/new/, /the app gpu-runners-octo-\w+, whose key is in the secret/],
])("Ctrl-C at the wait for %s names all that is made", async (_, wait, says) => {
  await using world = await SetupTestWorld.start();
  await using terminal = new Terminal(world, []);
  for (const question of QUESTIONS) await terminal.answer(question, "Enter");
  const page = /press "Create GitHub App": (\S+)/;
  await terminal.until(page);
  if (wait.source !== /press "Create GitHub App"/.source) await makeAppByPage(page.exec(terminal.screen)?.[1] ?? "");
  await terminal.answer(wait, "C-c");
  const screen = await terminal.ended();
  expect(screen).toContain("ended with 130");
  expect(screen).toMatch(says);
  expect(screen).not.toContain("Nothing was changed");
});

test.skipIf(!hasTmux).concurrent("Ctrl-C while GitHub is asked lets that end, and then says what is made", async () => {
  await using world = await SetupTestWorld.start();
  const { github, service } = world.simulator;
  const gh = join(world.folder, "bin/gh");
  const waits = `case "$*" in "secret set RENTAL"*gpu) >"${world.folder}/asked"; /bin/sleep 2 ;; esac`;
  writeFileSync(gh, `#!/bin/sh\n${waits}\n${world.ghLine}\n`, { mode: 0o755 });
  const words = ["--register", "token", "--no-follow", "--gpu", "RTX 3090", "--command", "true", "--commit", "none"];
  await using terminal = new Terminal(world, words, { RUNNER_TOKEN: github.runnerToken });
  await terminal.answer(/Do all this\?/, "Enter");
  while (!existsSync(join(world.folder, "asked"))) await world.simulator.clock.sleep(100);
  await terminal.answer(/The environment gpu-pr is there/, "C-c");
  expect(await terminal.ended()).toMatch(/Stopped\. Done until then: .*RENTAL_API_KEY is set/s);
  expect(service.journal.entries.filter(({ operation }) => operation === "deleteApiKey")).toEqual([]);
});

// One of each kind of question. The last one comes after all others.
test.skipIf(!hasTmux).concurrent.each([
  ["the key", 0],
  ["the GPU", 1],
  ["the command", 2],
  ["the yes", 6],
])("Ctrl-C at the question for %s changes nothing", async (_, steps) => {
  await using world = await SetupTestWorld.start();
  const { github, service } = world.simulator;
  await using terminal = new Terminal(world, [], { RENTAL_API_KEY: undefined });
  const questions: [RegExp, ...string[]][] = [
    [/The account's API key/, service.apiKey, "Enter"],
    [/Which GPUs/, "Enter"],
    [/The GPU job's command/, "Enter"],
    [/What registers the runners\?/, "Down", "Enter"],
    [/The token/, github.runnerToken, "Enter"],
    [/What should happen to the files\?/, "Enter"],
    [/Do all this\?/],
  ];
  for (const [question, ...keys] of questions.slice(0, steps)) await terminal.answer(question, ...keys);
  await terminal.answer(questions[steps]?.[0] ?? /never/, "C-c");
  expect(await terminal.ended()).toContain("ended with 130");
  expect(github.setup.environments).toEqual([]);
  expect(github.runners()).toEqual([]);
  expect(service.journal.entries.filter(({ operation }) => operation === "createApiKey")).toEqual([]);
  expect(world.git(["status", "--porcelain"])).toBe("");
});
