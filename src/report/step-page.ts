import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Log } from "../shared/log.ts";

/** The step as people see it. src/action writes to it, and makes foreign text harmless there. */
export interface StepPage {
  annotate(level: "error" | "warning", title: string, message: string): void;
  setOutput(name: string, value: string): void;
  /** Adds Markdown to the job's summary. A failure is only logged. */
  summarize(markdown: string): Promise<void>;
  /** Returns the folder that the platform empties at the job's end. */
  folder(): string;
}

/** Returns the path of a file for people that a session leaves behind. `end`: such as `-trend.svg`. */
export function sessionFile(page: Pick<StepPage, "folder">, sessionId: string, end: string): string {
  return join(page.folder(), `ephemeral-gpu-runner-${sessionId}${end}`);
}

/**
 * Writes a file whole or not at all, as another process may be reading it. Returns its path, or an
 * empty text if it can't be written, which is only logged. `what`: the file in words, to begin a
 * sentence.
 */
export function writeWhole(log: Log, what: string, path: string, text: string): string {
  try {
    writeFileSync(`${path}.new`, text, { mode: 0o644 });
    renameSync(`${path}.new`, path);
    return path;
  } catch (error) {
    log.warning(`${what} could not be written: ${error instanceof Error ? error.message : error}`);
    return "";
  }
}
