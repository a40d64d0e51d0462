import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { oneLine } from "../shared/foreign-text.ts";
import { JobsNotFailedError } from "./jobs-not-failed-error.ts";

/** Where commands are looked for: no step before this one has a say in it. */
export const COMMANDS_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

const WITHIN_MS = 60_000;

/**
 * Runs a command of this machine with no variable but PATH. Throws JobsNotFailedError with what it
 * printed when it fails.
 */
export async function runCommand([command = "", ...args]: readonly string[], signal?: AbortSignal): Promise<void> {
  try {
    const options = { env: { PATH: COMMANDS_PATH }, timeout: WITHIN_MS, ...(signal && { signal }) };
    await promisify(execFile)(command, args, options);
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    const what = [command, ...args].slice(0, 3).join(" ");
    throw new JobsNotFailedError(`"${oneLine(what)} …" failed: ${oneLine(stderr || message)}`, error);
  }
}
