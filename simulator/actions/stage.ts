import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readCommandFile } from "./command-file.ts";

/** How a stage ended, and what it left. */
export interface StageResult {
  exitCode: number | null;
  /** The signal that ended the process, if one did. */
  signal: NodeJS.Signals | null;
  /** Everything that it printed. */
  log: string;
  outputs: Record<string, string>;
  state: Record<string, string>;
  env: Record<string, string>;
  summary: string;
  /** The files in RUNNER_TEMP, by their names. */
  temp: Record<string, string>;
  wasCancelled: boolean;
  /** The step's `timeout-minutes` were over. */
  hasTimedOut: boolean;
}

/** A stage under way. */
export interface RunningStage {
  readonly pid: number;
  /** Its output so far. */
  log(): string;
  /** As on a cancel: SIGINT, SIGTERM after 7.5 s, SIGKILL after 2.5 s more; always in real time. */
  cancel(): void;
  /** As when the step's `timeout-minutes` are over: the same signals, after the platform's own sentence. */
  timeOut(minutes: number): void;
  kill(signal: NodeJS.Signals): void;
  readonly done: Promise<StageResult>;
}

interface StageOptions {
  script: string;
  /** For the command files and as workspace. */
  folder: string;
  /** RUNNER_TEMP, which all steps of a job share. */
  temp: string;
  env: Record<string, string>;
  onOutput?: (text: string) => void;
  /** What the platform itself prints first. */
  preface: string;
}

const FILES = ["GITHUB_OUTPUT", "GITHUB_STATE", "GITHUB_ENV", "GITHUB_PATH", "GITHUB_STEP_SUMMARY"] as const;
/** The signals of a cancel, after so many ms. */
const CANCEL = Object.entries({ SIGINT: 0, SIGTERM: 7500, SIGKILL: 10_000 }) as [NodeJS.Signals, number][];

/** Starts one stage of an action in a process of its own. */
export function startStage(options: StageOptions): RunningStage {
  const { folder, script, temp, env, onOutput, preface } = options;
  for (const needed of [folder, temp]) mkdirSync(needed, { recursive: true });
  const files = Object.fromEntries(FILES.map((name) => [name, join(folder, name)]));
  for (const file of Object.values(files)) writeFileSync(file, "");
  const child = spawn(process.execPath, [script], {
    cwd: folder,
    // Nothing of this process's own environment but what any program needs.
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      RUNNER_TEMP: temp,
      CI: "true",
      GITHUB_ACTIONS: "true",
      ...env,
      ...files,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let log = "";
  const became = { wasCancelled: false, hasTimedOut: false };
  const take = (chunk: Buffer | string) => {
    log += chunk.toString();
    onOutput?.(chunk.toString());
  };
  if (preface !== "") take(preface);
  child.stdout.on("data", take);
  child.stderr.on("data", take);
  return {
    pid: child.pid ?? 0,
    log: () => log,
    cancel() {
      became.wasCancelled = true;
      cancelAsThePlatform(child);
    },
    timeOut(minutes) {
      became.hasTimedOut = true;
      take(`##[error]The action '${script}' has timed out after ${minutes} minutes.\n`);
      cancelAsThePlatform(child);
    },
    kill: (signal) => child.kill(signal),
    done: new Promise((resolve) => {
      child.once("close", (exitCode, signal) =>
        resolve({ exitCode, signal, log, ...became, temp: textsIn(temp), ...leftovers(files) }),
      );
    }),
  };
}

function leftovers(files: Record<string, string>): Pick<StageResult, "outputs" | "state" | "env" | "summary"> {
  const text = (name: string) => readFileSync(files[name] ?? "", "utf8");
  return {
    outputs: readCommandFile(text("GITHUB_OUTPUT")),
    state: readCommandFile(text("GITHUB_STATE")),
    env: readCommandFile(text("GITHUB_ENV")),
    summary: text("GITHUB_STEP_SUMMARY"),
  };
}

function textsIn(folder: string): Record<string, string> {
  return Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")]));
}

function cancelAsThePlatform(child: ChildProcess): void {
  for (const [signal, afterMs] of CANCEL) {
    const timer = setTimeout(() => child.kill(signal), afterMs);
    child.once("close", () => clearTimeout(timer));
  }
}
