import { execFileSync, spawn } from "node:child_process";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Simulator } from "../../simulator/start-simulator.ts";
import { ACTION } from "../support/built-action.ts";

/** A run of act: the files of a repository, and stand-ins for repositories that it would fetch. */
interface ActRun {
  /** Where the repository is made. */
  folder: string;
  files: Readonly<Record<string, string>>;
  sim: Simulator;
  runId: number;
  /** `OWNER/NAME@REF` and the folder that is taken for it. */
  repositories: Readonly<Record<string, string>>;
  job?: string;
  /** The event in the repository (default push). */
  event?: string;
  env?: Readonly<Record<string, string>>;
}

/** Copies what users get. act packs the whole folder, and node_modules would take it a minute. */
export function copyAction(folder: string): void {
  for (const path of ["action.yml", "sweep/action.yml", "dist"])
    cpSync(join(ACTION, path), join(folder, path), { recursive: true });
}

/** Runs a repository's workflows by an event, on this host. Its log holds stdout and stderr. */
export async function runByAct(run: ActRun): Promise<{ exitCode: number | null; log: string }> {
  writeRepository(run);
  const child = spawn("act", argumentsOf(run), { cwd: run.folder, stdio: ["ignore", "pipe", "pipe"] });
  let log = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      log += chunk.toString();
    });
  }
  return await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (exitCode) => resolve({ exitCode, log }));
  });
}

function argumentsOf({ sim, runId, repositories, job, event = "push", env = {} }: ActRun): string[] {
  const all = { ...sim.childEnv(), GITHUB_API_URL: sim.github.url, GITHUB_RUN_ID: String(runId), ...env };
  const secrets = {
    RENTAL_API_KEY: sim.service.apiKey,
    RUNNER_TOKEN: sim.github.runnerToken,
    APP_PRIVATE_KEY: "a private key",
    GITHUB_TOKEN: sim.github.jobToken,
  };
  return [
    ...[event, ...(job === undefined ? [] : ["--job", job]), "--no-cache-server"],
    ...["--platform", "ubuntu-latest=-self-hosted"],
    ...Object.entries(repositories).flatMap(([name, place]) => ["--local-repository", `${name}=${place}`]),
    ...Object.entries(secrets).flatMap(([name, value]) => ["--secret", `${name}=${value}`]),
    ...Object.entries(all).flatMap(([name, value]) => ["--env", `${name}=${value}`]),
  ];
}

function writeRepository({ folder, files }: ActRun): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=test", "-c", "user.email=test@example.com", ...args], { cwd: folder });
  git("init", "--quiet", "--initial-branch=main");
  git("remote", "add", "origin", "https://github.com/octo/gpu-lib.git");
  git("add", ".");
  git("commit", "--quiet", "--message", "Workflows");
}

/** A log without the lines by which a secret is masked. */
export function withoutMasks(log: string): string {
  return log.replace(/^.*::add-mask::.*$/gm, "");
}
