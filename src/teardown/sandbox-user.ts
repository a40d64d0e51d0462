import { type ChildProcess, execFile, spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { createWriteStream } from "node:fs";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import type { RunnerDownload } from "../github/runners.ts";
import { oneLine, withoutCommands } from "../shared/foreign-text.ts";
import { UserError } from "../shared/user-error.ts";

/** A program, as the user is to run it. */
interface SandboxProgram {
  /** Lines of bash; the secret comes on standard input, as no list of processes shows that. */
  script: string;
  secret: string;
  variables: Readonly<Record<string, string>>;
  /** It is ended after so many seconds, even if this process is gone. */
  seconds: number;
}

/** A user of this machine who may do nothing: in no other group, never root, without our variables. */
export interface SandboxUser extends AsyncDisposable {
  /** The user's folder. It is ours until `handOver`, so that we can fill it. */
  readonly folder: string;
  /** Gives the folder to the user. */
  handOver(signal?: AbortSignal): Promise<void>;
  /** Starts a program. Resolves at its end to the last line that it printed. */
  start(program: SandboxProgram): Promise<string>;
}

/** Makes a command run as root. A hosted runner's sudo asks for no password. */
const AS_ROOT: readonly string[] = process.getuid?.() === 0 ? [] : ["sudo", "--non-interactive"];
const LONGEST_OUTPUT = 4000;
/** A runner that is told to end needs a moment to say so to GitHub. */
const ENDS_WITHIN_MS = 12_000;

/**
 * Makes the user. Throws JobsNotFailedError where this step can't: no root, no sudo, or a system
 * without the tools for it. `warn` gets what could not be cleaned up at the end.
 */
export async function openSandboxUser(warn: (line: string) => void, asRoot = AS_ROOT): Promise<SandboxUser> {
  const name = `ghr-${randomBytes(4).toString("hex")}`;
  const root = (...line: string[]) => runCommand([...asRoot, ...line]);
  const quietly = (...line: string[]) => root(...line).catch((error: UserError) => warn(error.message));
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

/** Makes the command line that drops all groups, and lets no setuid program (such as sudo) regain rights. */
function commandOf(name: string, { script, variables, seconds }: SandboxProgram): string[] {
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

/** The folder of the runner program, below its user's. */
export const PROGRAM = "program";
/** The hook in that folder, which fails a job. */
export const REFUSAL = "refuse.sh";

/**
 * Downloads GitHub's runner program, checks its SHA-256, unpacks it below `folder` and returns its
 * path. Throws JobsNotFailedError if it is the wrong program.
 */
export async function fetchRunner(
  { url, sha256 }: RunnerDownload,
  folder: string,
  signal: AbortSignal,
): Promise<string> {
  const archive = join(folder, "runner.tar.gz");
  const found = await download(url, archive, signal);
  if (found !== sha256)
    throw new JobsNotFailedError(`The runner program has the SHA-256 ${found}, and GitHub names ${sha256}.`);
  const program = join(folder, PROGRAM);
  await mkdir(program);
  await runCommand(
    ["tar", "--extract", "--gzip", `--file=${archive}`, `--directory=${program}`, "--no-same-owner"],
    signal,
  );
  await rm(archive);
  return program;
}

async function download(url: string, path: string, signal: AbortSignal): Promise<string> {
  const hash = createHash("sha256");
  try {
    const response = await fetch(url, { signal });
    if (!response.ok || response.body === null) throw new Error(`status ${response.status}`);
    const hashed = async function* (chunks: AsyncIterable<Uint8Array>) {
      for await (const chunk of chunks) {
        hash.update(chunk);
        yield chunk;
      }
    };
    await pipeline(Readable.fromWeb(response.body as never), hashed, createWriteStream(path));
  } catch (error) {
    const reason = oneLine(error instanceof Error ? error.message : String(error));
    throw new JobsNotFailedError(`The runner program could not be downloaded: ${reason}.`, error);
  }
  return hash.digest("hex");
}

/** The title under which a job that is failed shows the reason, at the head of its log. */
const GROUP = "No GPU machine: this job was ended on purpose, nothing of it has run";

/** Adds the hook that shows the reason and fails the job. */
export async function addRefusal(program: string, reason: string): Promise<void> {
  const detail = withoutCommands(reason);
  await writeFile(join(program, ".setup_info"), JSON.stringify([{ group: GROUP, detail }]));
  // Should a runner ever not know the variable that refuses the job: then its first hook does.
  await writeFile(join(program, REFUSAL), "exit 1\n");
  await chmod(join(program, REFUSAL), 0o755);
}

/** Where commands are looked for: earlier steps of the job can't change it. */
const COMMANDS_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

const WITHIN_MS = 60_000;

/**
 * Runs a command of this machine with no variable but PATH. Throws JobsNotFailedError with what it
 * printed when it fails.
 */
async function runCommand([command = "", ...args]: readonly string[], signal?: AbortSignal): Promise<void> {
  try {
    const options = { env: { PATH: COMMANDS_PATH }, timeout: WITHIN_MS, ...(signal && { signal }) };
    await promisify(execFile)(command, args, options);
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    const what = [command, ...args].slice(0, 3).join(" ");
    throw new JobsNotFailedError(`"${oneLine(what)} …" failed: ${oneLine(stderr || message)}`, error);
  }
}

/** Says that this machine lacks what failing jobs takes. People read the sentence in a warning. */
export class JobsNotFailedError extends UserError {
  override readonly name = "JobsNotFailedError";

  constructor(reason: string, cause?: unknown) {
    super(reason, { cause });
  }
}
