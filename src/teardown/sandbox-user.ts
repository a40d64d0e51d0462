import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { oneLine } from "../shared/foreign-text.ts";
import type { UserError } from "../shared/user-error.ts";
import { JobsNotFailedError } from "./jobs-not-failed-error.ts";
import { COMMANDS_PATH, runCommand } from "./run-command.ts";

/** A program, as the user is to run it. */
export interface LoneProgram {
  /** Lines of bash; the secret comes on standard input, as no list of processes shows that. */
  script: string;
  secret: string;
  variables: Readonly<Record<string, string>>;
  /** It is ended after so many seconds, even if we are not there any more. */
  seconds: number;
}

/** A user of this machine for one purpose: in no other group, never root, without our variables. */
export interface SandboxUser extends AsyncDisposable {
  /** Ours until `handOver`: all that the user is to have is put here. */
  readonly folder: string;
  /** Gives the folder to the user. */
  handOver(signal?: AbortSignal): Promise<void>;
  /** Starts a program; resolves when it is over, to the last that it printed, in one line. */
  start(program: LoneProgram): Promise<string>;
}

/** Makes a command run as root. A hosted runner's sudo asks for no password. */
const AS_ROOT: readonly string[] = process.getuid?.() === 0 ? [] : ["sudo", "--non-interactive"];
const LONGEST_OUTPUT = 4000;
/** A runner that is told to end needs a moment to say so to GitHub. */
const ENDS_WITHIN_MS = 12_000;

/**
 * Makes the user. Throws JobsNotFailedError where this step can't: no root, no sudo, or a system
 * without the tools for it. `tell` gets what could not be cleaned up at the end.
 */
export async function openSandboxUser(tell: (line: string) => void, asRoot = AS_ROOT): Promise<SandboxUser> {
  const name = `ghr-${randomBytes(4).toString("hex")}`;
  const root = (...line: string[]) => runCommand([...asRoot, ...line]);
  const quietly = (...line: string[]) => root(...line).catch((error: UserError) => tell(error.message));
  await root("useradd", "--system", "--user-group", "--no-create-home", "--home-dir=/nonexistent", name);
  const running = new Map<ChildProcess, Promise<string>>();
  const folder = await mkdtemp(join(tmpdir(), `${name}-`)).catch(async (error) => {
    await quietly("userdel", "--force", name);
    throw new JobsNotFailedError(`No folder could be made for another user: ${oneLine(String(error))}.`, error);
  });
  return {
    folder,
    handOver: (signal) => runCommand([...asRoot, "chown", "--recursive", `${name}:`, folder], signal),
    start(program) {
      const child = startAs([...asRoot, ...commandOf(name, program)], program.secret);
      const over = lastWords(child);
      running.set(child, over);
      return over;
    },
    async [Symbol.asyncDispose]() {
      const open = [...running].filter(([{ exitCode, signalCode }]) => exitCode === null && signalCode === null);
      // One that has just ended by itself is as good; pkill finds nobody then.
      await Promise.all(open.map(([{ pid }]) => root("kill", "-s", "TERM", String(pid)).catch(() => {})));
      await Promise.race([Promise.all(running.values()), sleep(ENDS_WITHIN_MS)]);
      await root("pkill", "--signal=KILL", `--uid=${name}`).catch(() => {});
      await quietly("userdel", "--force", name);
      await quietly("rm", "--recursive", "--force", "--one-file-system", folder);
    },
  };
}

/** Groups are dropped, and no setuid program, sudo among them, can give anything back. */
function commandOf(name: string, { script, variables, seconds }: LoneProgram): string[] {
  const given = Object.entries({ PATH: COMMANDS_PATH, ...variables }).map(([key, value]) => `${key}=${value}`);
  return [
    ...["timeout", "--signal=TERM", "--kill-after=10", String(seconds)],
    ...["setpriv", `--reuid=${name}`, `--regid=${name}`, "--clear-groups", "--no-new-privs", "--inh-caps=-all"],
    ...["env", "--ignore-environment", ...given, "bash", "-c", script],
  ];
}

function startAs([command = "", ...args]: readonly string[], secret: string): ChildProcess {
  const child = spawn(command, args, { cwd: "/", env: { PATH: COMMANDS_PATH }, stdio: ["pipe", "pipe", "pipe"] });
  // One that ends before it has read its input is known by its end.
  child.stdin.on("error", () => {});
  child.stdin.end(`${secret}\n`);
  return child;
}

function lastWords(child: ChildProcess): Promise<string> {
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (chunk) => {
      printed = `${printed}${chunk}`.slice(-LONGEST_OUTPUT);
    });
  }
  return new Promise((resolve) => {
    child.once("error", (error) => resolve(oneLine(error.message)));
    child.once("close", () => resolve(oneLine(printed.trim().split("\n").slice(-3).join(" "))));
  });
}
