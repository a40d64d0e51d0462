import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect } from "vitest";
import { readIfThere } from "../../../simulator/machine/read-if-there.ts";
import { ROOT } from "./repository.ts";

const SIGNERS = ".github/allowed_signers";
// Without the samples of hooks, which each test would copy.
const INIT = ["--quiet", "--initial-branch=main", "--template="];

/** What a script comes to that refuses, and says this. */
export const refused = (says: string | RegExp) => ({ status: 1, said: expect.stringMatching(says) as string });

/**
 * A repository with one signed release, as its workflow has it: `origin.git`, `tag` (the checkout of the tag) and `main` (that of the
 * main branch, whose scripts run). `bin` comes first on PATH.
 */
class ReleaseWorld {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  /** Makes the repository, its maintainer's key and a stranger's. */
  make(): void {
    for (const name of ["maintainer", "stranger"])
      execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", name, "-f", this.path(name)]);
    execFileSync("git", ["init", ...INIT, "--bare", this.path("origin.git")]);
    mkdirSync(this.path("tag/docs"), { recursive: true });
    mkdirSync(this.path("bin"));
    this.git("init", ...INIT);
    this.git("remote", "add", "origin", this.path("origin.git"));
    for (const path of ["action.yml", "sweep", "scripts", "LICENSE", ".github"])
      cpSync(join(ROOT, path), this.path("tag", path), { recursive: true });
    for (const [path, text] of Object.entries(FILES)) this.write(path, text);
    this.write(SIGNERS, this.signer("ann", "maintainer"));
    this.commit("All");
    this.signedTag("v1.4.0");
    this.push("main", "v1.4.0");
    // A copy for each test costs by the file, most of all in the kernel.
    for (const folder of ["tag", "origin.git"]) execFileSync("git", ["gc", "--quiet"], { cwd: this.path(folder) });
    execFileSync("git", ["clone", "--quiet", this.path("origin.git"), this.path("main")]);
    rmSync(this.path("main/.git"), { recursive: true });
  }

  path(...parts: string[]): string {
    return join(this.folder, ...parts);
  }

  /** A line of allowed_signers. */
  signer(name: string, key: string): string {
    return `${name} namespaces="git" ${readFileSync(this.path(`${key}.pub`), "utf8")}`;
  }

  git(...args: string[]): string {
    const user = ["-c", "user.name=test", "-c", "user.email=test@example.com"];
    return execFileSync("git", [...user, ...args], { cwd: this.path("tag"), encoding: "utf8" }).trim();
  }

  write(path: string, text: string): void {
    mkdirSync(this.path("tag", path, ".."), { recursive: true });
    writeFileSync(this.path("tag", path), text);
  }

  commit(message: string): void {
    this.git("add", "--all");
    this.git("commit", "--quiet", "--allow-empty", "--message", message);
  }

  /** Tags what is checked out, by the key of this name. */
  signedTag(tag: string, { key = "maintainer", message = tag } = {}): void {
    const signing = ["-c", "gpg.format=ssh", "-c", `user.signingkey=${this.path(key)}`];
    this.git(...signing, "tag", "--force", "--sign", "--message", message, tag);
  }

  /** Commits to the main branch, pushes it, and tags and pushes the new commit. */
  release(tag = "v1.4.0", options: { key?: string; message?: string } = {}): void {
    this.commit("Changed");
    this.signedTag(tag, options);
    this.push("main", tag);
  }

  push(...refs: string[]): void {
    this.git("push", "--quiet", "--force", "origin", ...refs);
  }

  /** Changes a file on the main branch alone, after the release's commit; without a text it is deleted. */
  changeMain(path: string, text: string | undefined): void {
    this.git("checkout", "--quiet", "main");
    if (text === undefined) rmSync(this.path("tag", path));
    else this.write(path, text);
    this.commit("On main alone");
    this.push("main");
    this.git("checkout", "--quiet", "v1.4.0");
  }

  /** The commit of a tag at the remote. */
  at(tag: string): string {
    const words = ["rev-parse", `${tag}^{commit}`];
    return execFileSync("git", words, { cwd: this.path("origin.git"), encoding: "utf8" }).trim();
  }

  /** Somebody else moves the tag at the remote, from a clone of their own, to a commit that nobody verified. */
  moveTagAway(annotated = false): void {
    const other = this.path("other");
    const theirs = (...args: string[]) =>
      execFileSync("git", ["-C", other, "-c", "user.name=x", "-c", "user.email=x@x", ...args]);
    execFileSync("git", ["clone", "--quiet", this.path("origin.git"), other]);
    theirs("commit", "--quiet", "--allow-empty", "--message", "Not verified");
    theirs("tag", "--force", ...(annotated ? ["--annotate", "--message", "x"] : []), "v1.4.0");
    theirs("push", "--quiet", "--force", "origin", "v1.4.0");
  }

  /** A command of this name that comes first on PATH. */
  standIn(name: string, bash: string): void {
    writeFileSync(this.path("bin", name), `#!/bin/bash\n${bash}\n`);
    chmodSync(this.path("bin", name), 0o755);
  }

  /** A gh that answers paths of the API by these bodies, any other one by 404, and writes down how it was called. */
  api(answers: Record<string, unknown>): void {
    writeFileSync(this.path("api.json"), JSON.stringify(answers));
    this.standIn(
      "gh",
      `echo "$*" >>'${this.path("gh.log")}'
      [[ $1 == api ]] || exit 0
      body=$(jq --arg path "$2" -ce '.[$path] // empty' '${this.path("api.json")}') || { echo "gh: Not Found (HTTP 404)" >&2; exit 1; }
      if [[ \${3:-} == --jq ]]; then jq -r "$4" <<<"$body"; else echo "$body"; fi`,
    );
  }

  /** How gh was called. */
  calls(): string {
    return readIfThere(this.path("gh.log"));
  }

  /** Runs a script of the main branch in the checkout of the tag, as the workflow does. */
  script(name: string, args: string[] = [], env: Record<string, string> = {}) {
    const path = this.path("main/scripts/release", name);
    const [program, ...words] = name.endsWith(".mjs") ? [process.execPath, path, ...args] : [path, ...args];
    const platform = {
      PATH: `${this.path("bin")}:${process.env.PATH}`,
      GITHUB_SHA: this.git("rev-parse", "HEAD"), // the commit for which the run was started
      GITHUB_REPOSITORY: "acme/ephemeral-gpu-runner",
      GITHUB_OUTPUT: this.path("output"),
    };
    const all = { ...process.env, ...platform, ...env };
    const options = { cwd: this.path("tag"), encoding: "utf8", env: all } as const;
    const { status, stdout, stderr } = spawnSync(program ?? "", words, options);
    return { status, said: stdout + stderr };
  }

  /** The outputs that the scripts set. */
  outputs(): Record<string, string> {
    const lines = readIfThere(this.path("output")).matchAll(/^([\w-]+)=(.*)$/gm);
    return Object.fromEntries(Array.from(lines, ([, name = "", value = ""]) => [name, value]));
  }
}

const FILES = {
  "package.json": '{"name": "x", "type": "module", "version": "1.4.0"}\n',
  "package-lock.json":
    '{"name": "x", "version": "1.4.0", "lockfileVersion": 3, "packages": {"": {"name": "x", "version": "1.4.0"}}}\n',
  "CHANGELOG.md": "# Changelog\n\n## v1.4.0 (2026-11-22)\n\nMachines in pairs.\n\n## v1.3.0 (2026-10-01)\n\nOld.\n",
  "SECURITY.md": "https://github.com/acme/ephemeral-gpu-runner/security/advisories/new\n",
  "dist/main.js": "built\n",
  "README.md": "```yaml\n      - uses: acme/ephemeral-gpu-runner@v1\n```\nUse `acme/ephemeral-gpu-runner@v1`.\n",
  "docs/page.md": "```yaml\n      - uses: acme/ephemeral-gpu-runner/sweep@v1 # old\n```\n",
  ".github/CODEOWNERS": "* @acme/maintainers\n",
  // Only the lines that make them: the scripts that are tested run them.
  "scripts/build.mjs": "",
  "scripts/pack-setup.mjs": "",
};

/** A fresh copy of the world for each test of a file. */
export function useReleaseWorld(): () => ReleaseWorld {
  let template: ReleaseWorld;
  let world: ReleaseWorld;
  beforeAll(() => {
    template = new ReleaseWorld(mkdtempSync(join(tmpdir(), "release-template-")));
    template.make();
  });
  beforeEach(() => {
    world = new ReleaseWorld(mkdtempSync(join(tmpdir(), "release-")));
    cpSync(template.folder, world.folder, { recursive: true });
    world.git("remote", "set-url", "origin", world.path("origin.git"));
  });
  afterEach(() => rmSync(world.folder, { recursive: true, force: true }));
  afterAll(() => rmSync(template.folder, { recursive: true, force: true }));
  return () => world;
}
