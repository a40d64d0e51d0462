import { renameSync, writeFileSync } from "node:fs";
import type { Log } from "../shared/log.ts";

/**
 * Writes a file whole or not at all, as another process may be reading it. Returns its path; empty
 * when it can't be written, which is only told. `what`: the file in words, to begin a sentence.
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
