import { linkSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The first link to each command, of which the others are further names. */
const firsts = new Map<string, string>();
let folder: string | undefined;

/**
 * Makes a symbolic link at `path`. A machine has 130, and a further name for an older link costs a
 * tenth of what a new one costs.
 */
export function linkCommand(target: string, path: string): void {
  const first = firsts.get(target) ?? makeFirst(target);
  try {
    linkSync(first, path);
  } catch {
    // Another disk, or one that knows no further names.
    symlinkSync(target, path);
  }
}

function makeFirst(target: string): string {
  folder ??= temporaryFolder();
  const path = join(folder, String(firsts.size));
  symlinkSync(target, path);
  firsts.set(target, path);
  return path;
}

function temporaryFolder(): string {
  const made = mkdtempSync(join(tmpdir(), "simulated-commands-"));
  process.once("exit", () => rmSync(made, { recursive: true, force: true }));
  return made;
}
