import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { chmod, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { RunnerDownload } from "../github/runner.ts";
import { oneLine, withoutCommands } from "../shared/foreign-text.ts";
import { JobsNotFailedError } from "./jobs-not-failed-error.ts";
import { runCommand } from "./run-command.ts";

/** The folder of the runner program, below its user's. */
export const PROGRAM = "program";
/** In it: the hook that fails a job. */
export const REFUSAL = "refuse.sh";

/**
 * Downloads GitHub's runner program, checks it, and unpacks it below `folder`; its path. Throws
 * JobsNotFailedError when it is not the right one.
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

/** Puts into the program what each runner of it shows, and does should it ever have to. */
export async function addRefusal(program: string, reason: string): Promise<void> {
  const detail = withoutCommands(reason);
  await writeFile(join(program, ".setup_info"), JSON.stringify([{ group: GROUP, detail }]));
  // Should a runner ever not know the variable that refuses the job: then its first hook does.
  await writeFile(join(program, REFUSAL), "exit 1\n");
  await chmod(join(program, REFUSAL), 0o755);
}
