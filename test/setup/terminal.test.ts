import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { SetupTestWorld, test } from "./support/setup-world.ts";

const KEY = /The account's API key/;
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

const terminalTest = test.skipIf(!hasTmux).concurrent;

terminalTest("Ctrl-C while GitHub is asked lets that end, and then says what is made", async ({ world }) => {
  const waits = `case "$*" in "secret set RENTAL"*gpu) >"${world.folder}/asked"; /bin/sleep 2 ;; esac`;
  world.makeGh(waits);
  const words = ["--register", "token", "--no-follow", "--gpu", "RTX 3090", "--command", "true", "--commit", "none"];
  await using terminal = new Terminal(world, words, { RUNNER_TOKEN: world.github.runnerToken });
  await terminal.answer(/Do all this\?/, "Enter");
  while (!existsSync(join(world.folder, "asked"))) await world.simulator.clock.sleep(100);
  await terminal.answer(/The environment gpu-pr is there/, "C-c");
  expect(await terminal.ended()).toMatch(/Stopped\. Done until then: .*RENTAL_API_KEY is set/s);
  expect(world.count("deleteApiKey")).toBe(0);
});

// The whole way with a token, or Ctrl-C at one of each kind of question.
terminalTest.each([
  ["seven questions, Enter alone, and all is made", 7],
  ["Ctrl-C at the key changes nothing", 0],
  ["Ctrl-C at the GPU changes nothing", 1],
  ["Ctrl-C at the command changes nothing", 2],
  ["Ctrl-C at the yes changes nothing", 6],
])("with a token: %s, and no secret is on the screen", async (_, steps) => {
  await using world = await SetupTestWorld.start();
  await using terminal = new Terminal(world, ["--no-follow"], { RENTAL_API_KEY: undefined });
  const [gpu = KEY, command = KEY, how = KEY, files = KEY, all = KEY] = QUESTIONS;
  const questions: [RegExp, ...string[]][] = [
    [KEY, world.service.apiKey, "Enter"],
    ...[gpu, command].map((each): [RegExp, string] => [each, "Enter"]),
    [how, "Down", "Enter"],
    [/The token/, world.github.runnerToken, "Enter"],
    ...[files, all].map((each): [RegExp, string] => [each, "Enter"]),
  ];
  for (const [question, ...keys] of questions.slice(0, steps)) await terminal.answer(question, ...keys);
  const stopped = questions[steps];
  if (stopped !== undefined) await terminal.answer(stopped[0], "C-c");
  const screen = await terminal.ended();
  for (const secret of [world.service.apiKey, world.github.runnerToken]) expect(screen).not.toContain(secret);
  expect(screen).toContain(`ended with ${stopped === undefined ? 0 : 130}`);
  const isMade = stopped === undefined;
  if (isMade) expect(screen.match(/^◇ /gm)).toHaveLength(questions.length);
  expect(world.setup.environments).toEqual(isMade ? ["gpu", "gpu-pr"] : []);
  expect(Object.keys(world.secrets("gpu"))).toEqual(isMade ? ["RENTAL_API_KEY", "RUNNER_TOKEN"] : []);
  expect(world.setup.pulls).toHaveLength(isMade ? 1 : 0);
  expect(world.github.runners()).toEqual([]);
  expect(world.count("createApiKey")).toBe(isMade ? 1 : 0);
  if (!isMade) expect(world.git(["status", "--porcelain"])).toBe("");
});
