import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import type { Server } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test as base, expect } from "vitest";
import { runSetup } from "../../../setup/run.ts";
import type { Scenario } from "../../../simulator/scenario/scenario.ts";
import { type Simulator, startSimulator } from "../../../simulator/start-simulator.ts";
import { openGhSocket } from "../../support/gh-socket.ts";
import { startGhAnswers } from "./gh-answers.ts";

export const REPOSITORY = "octo/gpu-lib";
const LOGIN = "gho_login_of_a_person";
/** A token that may register no runner. */
export const READER = "github_pat_that_only_reads";
const ROOT = new URL("../../../", import.meta.url).pathname;
const MAIN = join(ROOT, "setup/main.ts");
/** A real gh in the place of the stand-in: `SETUP_GH=/usr/bin/gh npx vitest run --project setup`. */
const REAL_GH = process.env.SETUP_GH;
const STAND_IN = readFileSync(join(ROOT, "test/setup/support/gh.bash"), "utf8");
const GIT = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();

/** As `git remote add` writes it. */
const ORIGIN = '[remote "origin"]\n\turl = URL\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n';

/** How a world differs from the plain one. */
export interface WorldOptions {
  scenario?: Scenario;
  /** The repository's files. */
  files?: Record<string, string>;
  /** None: a machine without gh. */
  gh?: "none";
  isAdmin?: boolean;
  plan?: string;
  origin?: string | null;
}

type Env = Record<string, string | undefined>;
type Event = "pull_request" | "push" | "workflow_dispatch";

/** A command that was begun. */
export interface Begun {
  ended: Promise<Said>;
  /** As Ctrl-C does. */
  stop(signal?: NodeJS.Signals): void;
  /** True as soon as it is so; false when the command ended before. */
  until(isSo: () => boolean): Promise<boolean>;
  /** Waits for words on its screen; gives their first group. */
  says(words: RegExp): Promise<string>;
}

/** What a command printed, and its end. */
export interface Said {
  code: number | null;
  out: string;
  err: string;
}

/** What a command said that ended well. */
export async function well(ended: Promise<Said>): Promise<Said> {
  const said = await ended;
  expect(said.code, said.out + said.err).toBe(0);
  return said;
}

/** What a command said that ended with this code, and these words. */
export async function endsWith(ended: Promise<Said>, words: string | RegExp, code = 1): Promise<Said> {
  const said = await ended;
  expect(said, said.out + said.err).toMatchObject({ code, err: expect.stringMatching(words) });
  return said;
}

const RTX_3090 = { gpu_name: "RTX 3090", compute_cap: 860 };
/** Twelve machines with 24 GB, of two kinds, some with more and less. */
const OFFERS = [
  ...[0.3, 0.31, 0.32, 0.33, 0.34, 0.35, 0.36, 0.37, 0.41].map((dph_base, index) => ({ id: 100 + index, dph_base })),
  ...[0.17, 0.18, 0.21].map((dph_base, index) => ({ ...RTX_3090, id: 200 + index, dph_base })),
  { id: 300, gpu_name: "H100 SXM", gpu_ram: 81_559, dph_base: 2.1 },
  { id: 301, gpu_name: "RTX 4070", gpu_ram: 12_282, dph_base: 0.1 },
];

/** A repository on this computer, its GitHub, the rental service, and gh, as one person has them. */
export class SetupTestWorld implements AsyncDisposable {
  readonly simulator: Simulator;
  readonly folder: string;
  readonly #options: WorldOptions;
  #gh: (Disposable & { port: number }) | undefined;
  #socket: Server | undefined;

  private constructor(simulator: Simulator, options: WorldOptions) {
    this.simulator = simulator;
    this.#options = options;
    this.folder = mkdtempSync(join(tmpdir(), "setup-"));
  }

  static async start(options: WorldOptions = {}): Promise<SetupTestWorld> {
    const scenario: Scenario = { offers: OFFERS, ...options.scenario };
    const rights = { actions: "write", checks: "read", contents: "read", administration: "write" } as const;
    const kind = "personal" as const;
    const githubTokens = {
      [LOGIN]: { name: "login", kind, permissions: rights },
      [READER]: { name: "reader", kind, permissions: { contents: "read" as const } },
    };
    const simulator = await startSimulator({ factor: 10, machines: false, scenario, githubTokens });
    const world = new SetupTestWorld(simulator, options);
    world.setup.addPerson(LOGIN, { login: "octo", plan: options.plan ?? "pro", isAdmin: options.isAdmin ?? true });
    world.#makeRepository();
    await world.#makePrograms();
    return world;
  }

  /** A world where init was, with its files on main, and its workflows known to GitHub. */
  static async startSetUp(options: WorldOptions = {}, words: string[] = []): Promise<SetupTestWorld> {
    const world = await SetupTestWorld.start(options);
    await well(world.init(["--commit", "branch", "--no-follow", ...words]));
    for (const name of ["gpu", "gpu-sweep"])
      world.simulator.github.setup.workflows.set(`.github/workflows/${name}.yml`, "active");
    return world;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#socket?.close();
    this.#gh?.[Symbol.dispose]();
    await this.simulator[Symbol.asyncDispose]();
    rmSync(this.folder, { recursive: true, force: true });
  }

  get github(): Simulator["github"] {
    return this.simulator.github;
  }

  /** What GitHub has of secrets, environments, branches and pull requests. */
  get setup(): Simulator["github"]["setup"] {
    return this.github.setup;
  }

  get service(): Simulator["service"] {
    return this.simulator.service;
  }

  /** The secrets of an environment, or of the repository, by their names. */
  secrets(environment?: string): Record<string, string> {
    const secrets = this.simulator.github.setup.secrets(environment);
    return Object.fromEntries(secrets.map(({ name, value }) => [name, value]).sort());
  }

  /** How often the service was asked to do this. */
  count(operation: string): number {
    return this.simulator.service.journal.entries.filter((entry) => entry.operation === operation).length;
  }

  get repo(): string {
    return join(this.folder, "gpu-lib");
  }

  /** Makes gh what it is, but this line of a shell comes before. */
  makeGh(first = ""): void {
    const real = `echo "$@" >>"${this.folder}/gh.log"\nexec "${REAL_GH}" "$@"\n`;
    const program = REAL_GH === undefined ? STAND_IN : real;
    writeFileSync(join(this.folder, "bin/gh"), `#!/bin/bash\n${first}\n${program}`, { mode: 0o755 });
  }

  /** The words of every gh that was started. */
  get ghWords(): string {
    return readFileSync(join(this.folder, "gh.log"), "utf8");
  }

  /** Runs git in the repository, or in what it is pushed to. */
  git(words: string[], where = this.repo): string {
    const user = ["-c", "user.name=test", "-c", "user.email=test@example.com"];
    const options = { cwd: where, encoding: "utf8", stdio: "pipe" } as const;
    return execFileSync("git", [...user, ...words], options).trim();
  }

  /** The text of a file of the repository; undefined: there is none. */
  read(path: string): string | undefined {
    const full = join(this.repo, path);
    return existsSync(full) ? readFileSync(full, "utf8") : undefined;
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.repo, path)), { recursive: true });
    writeFileSync(join(this.repo, path), text);
  }

  /** The environment of a person's shell, with the account's key at hand. */
  env(more: Env = {}): Record<string, string> {
    const { github, service } = this.simulator;
    const all = {
      ...this.simulator.childEnv(),
      PATH: join(this.folder, "bin"),
      HOME: this.folder,
      GIT_CONFIG_GLOBAL: join(this.folder, "gitconfig"),
      GIT_CONFIG_NOSYSTEM: "1",
      GH_TOKEN: LOGIN,
      GH_CONFIG_DIR: join(this.folder, "gh"),
      GH_NO_UPDATE_NOTIFIER: "1",
      GH_STANDIN_PORT: String(this.#gh?.port),
      GITHUB_API_URL: github.url,
      GITHUB_SERVER_URL: github.url,
      RENTAL_API_URL: service.url,
      RENTAL_API_KEY: service.apiKey,
      ACTION_REPOSITORY: "acme/ephemeral-gpu-runner",
      NO_COLOR: "1",
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      ...more,
    };
    return Object.fromEntries(Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== undefined));
  }

  /** Begins the command as a process of its own. */
  spawn(words: string[], more: Env = {}): Begun {
    const child = spawn(process.execPath, [MAIN, ...words], { cwd: this.repo, env: this.env(more) });
    const said: Said = { code: null, out: "", err: "" };
    child.stdout.on("data", (bytes: Buffer) => (said.out += bytes));
    child.stderr.on("data", (bytes: Buffer) => (said.err += bytes));
    child.stdin.end();
    const ended = once(child, "close").then(([code]) => ({ ...said, code: code as number | null }));
    return this.#begun(said, ended, (signal) => void child.kill(signal));
  }

  /** Begins the command in this process, by the simulator's clock. */
  begin(words: string[], more: Env = {}): Begun {
    const said: Said = { code: null, out: "", err: "" };
    const stop = new AbortController();
    const sink = (name: "out" | "err") => ({ write: (text: string) => (said[name] += text) });
    const sleep = (milliseconds: number, signal: AbortSignal) => this.simulator.clock.sleep(milliseconds, signal);
    const ended = runSetup(words, {
      ...{ program: MAIN, folder: this.repo, env: this.env(more), sleep, isAtTerminal: false },
      ...{ out: sink("out"), err: sink("err"), stop: stop.signal },
    }).then((code) => ({ ...said, code }));
    return this.#begun(said, ended, () => stop.abort());
  }

  #begun(said: Said, ended: Promise<Said>, stop: Begun["stop"]): Begun {
    let isOver = false;
    void ended.then(() => (isOver = true));
    const until = async (isSo: () => boolean) => {
      while (!isSo() && !isOver) await this.simulator.clock.sleep(200);
      return isSo();
    };
    const says = async (words: RegExp) => {
      await until(() => words.test(said.out));
      return words.exec(said.out)?.[1] ?? "";
    };
    return { ended, stop, until, says };
  }

  /** Runs the command to its end. */
  async run(words: string[], more: Env = {}): Promise<Said> {
    return await this.begin(words, more).ended;
  }

  /** Runs init with a token for runners, to its end. */
  async init(words: string[] = [], more: Env = {}): Promise<Said> {
    return await this.run(["init", "--yes", ...words], { RUNNER_TOKEN: this.simulator.github.runnerToken, ...more });
  }

  /** Plays GitHub, which starts a run when what `by` says has come; that ends as is said. */
  async playRun(begun: Begun, by: Event, conclusion: "success" | "failure" = "success"): Promise<Said> {
    const { dispatches, pulls } = this.simulator.github.setup;
    const head = () => readFileSync(join(this.folder, "origin.git/refs/heads/main"), "utf8");
    const before = head();
    const isSo = {
      pull_request: () => pulls.length > 0,
      push: () => head() !== before,
      workflow_dispatch: () => dispatches.length > 0,
    }[by];
    if (await begun.until(isSo)) await this.#play(by, by === "pull_request" ? "add-gpu-tests" : "main", conclusion);
    return await begun.ended;
  }

  async #play(event: string, headBranch: string, conclusion: "success" | "failure"): Promise<void> {
    // A run of a pull request waits for the approval of its environment.
    const status = event === "pull_request" ? ("waiting" as const) : ("in_progress" as const);
    const jobs = [
      { name: "rent", labels: ["ubuntu-latest"], status },
      { name: "test", labels: ["gpu-1"] },
    ];
    const run = this.github.addRun({ repository: REPOSITORY, event, headBranch, jobs });
    await this.simulator.clock.sleep(8_000);
    run.job("test").setStatus("in_progress");
    run.job("test").complete(conclusion);
    const told = { level: "failure", title: "GPU job failed", message: "'test' failed. Look at its log." } as const;
    if (conclusion === "failure") run.job("rent").annotate(told);
    run.job("rent").complete(conclusion);
  }

  #makeRepository(): void {
    const { files = {}, origin = `https://github.com/${REPOSITORY}.git` } = this.#options;
    const bare = join(this.folder, "origin.git");
    writeFileSync(
      join(this.folder, "gitconfig"),
      `[user]\n name = test\n email = test@example.com\n[url "${bare}"]\n insteadOf = https://github.com/${REPOSITORY}.git\n`,
    );
    mkdirSync(this.repo);
    this.git(["init", "--quiet", "--template=", "--initial-branch=main"]);
    this.write("README.md", "# A library\n");
    for (const [path, text] of Object.entries(files)) this.write(path, text);
    this.git(["add", "--all"]);
    this.git(["commit", "--quiet", "--message", "All"]);
    this.#push(bare);
    if (origin === null) return;
    appendFileSync(join(this.repo, ".git/config"), ORIGIN.replace("URL", origin));
    this.write(".git/refs/remotes/origin/main", readFileSync(join(this.repo, ".git/refs/heads/main"), "utf8"));
  }

  /** Makes what a push would: git's own takes ten processes. */
  #push(bare: string): void {
    cpSync(join(this.repo, ".git"), bare, { recursive: true });
    rmSync(join(bare, "index"));
    const config = join(bare, "config");
    writeFileSync(config, readFileSync(config, "utf8").replace("bare = false", "bare = true"));
  }

  async #makePrograms(): Promise<void> {
    const bin = join(this.folder, "bin");
    mkdirSync(bin);
    mkdirSync(join(this.folder, "gh"));
    symlinkSync(GIT, join(bin, "git"));
    if (this.#options.gh === "none") return;
    this.makeGh();
    const log = join(this.folder, "gh.log");
    this.#gh = await startGhAnswers(this.github.url, (words) => appendFileSync(log, `${words.join(" ")}\n`));
    if (REAL_GH !== undefined) this.#socket = await openGhSocket(join(this.folder, "gh"), this.github.url);
  }
}

/** A test in a plain world, or in one where init was. */
export const test = base.extend<{ world: SetupTestWorld; setUp: SetupTestWorld }>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the names of other fixtures there
  world: async ({}, use) => {
    await using world = await SetupTestWorld.start();
    await use(world);
  },
  // biome-ignore lint/correctness/noEmptyPattern: the same
  setUp: async ({}, use) => {
    await using world = await SetupTestWorld.startSetUp();
    await use(world);
  },
});
