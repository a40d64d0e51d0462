import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { type Env, environment } from "./surroundings.ts";

/** A program's end. */
export interface Ended {
  /** Undefined: there is no such program. */
  code: number | undefined;
  out: string;
  err: string;
}

/** How a program is run. Secrets go by `input` or `env`, never among the words: everybody on a machine can read those. */
export interface Running {
  cwd?: string;
  env?: Env;
  input?: string;
  /** Out of reach of the terminal's Ctrl-C: it ends what it began, and this program stops then. */
  detached?: boolean;
  /** After this it is ended, and whatever it started is not waited for. */
  limitMs?: number;
}

/** What gh, git and its hooks have no business with. */
const OURS = {
  RENTAL_API_KEY: undefined,
  VAST_API_KEY: undefined,
  RUNNER_TOKEN: undefined,
  APP_PRIVATE_KEY: undefined,
};

/** Runs a program to its end, without a shell. */
export async function runProgram(name: string, words: readonly string[], running: Running = {}): Promise<Ended> {
  const child = spawn(name, words, {
    cwd: running.cwd,
    detached: running.detached === true,
    env: { ...environment(), ...OURS, ...running.env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  const ended: Ended = { code: undefined, out: "", err: "" };
  child.stdout.on("data", (bytes: Buffer) => (ended.out += bytes));
  child.stderr.on("data", (bytes: Buffer) => (ended.err += bytes));
  // It may end without reading its input: its code tells.
  child.stdin.on("error", () => {});
  child.stdin.end(running.input ?? "");
  const limit = running.limitMs === undefined ? undefined : setTimeout(() => abandon(child), running.limitMs);
  try {
    const [code] = (await once(child, "close")) as [number | null];
    return { ...ended, code: code ?? 1 };
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code !== "ENOENT") throw fault;
    return ended;
  } finally {
    clearTimeout(limit);
  }
}

function abandon(child: ChildProcess): void {
  child.kill("SIGKILL");
  // Its own children may hold these open.
  child.stdout?.destroy();
  child.stderr?.destroy();
}
