import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";

const SYSTEM_FOLDERS = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"];

/** Commands that were found: each machine needs more than a hundred. */
const found = new Map<string, string>();

/** Finds a command of this computer, the system's folders first; undefined: there is none. */
export function findHostCommand(name: string): string | undefined {
  const path = found.get(name) ?? search(name);
  if (path !== undefined) found.set(name, path);
  return path;
}

function search(name: string): string | undefined {
  // The system first: npm puts folders with shims in front of PATH, which no machine must see.
  const folders = [...SYSTEM_FOLDERS, ...(process.env.PATH ?? "").split(delimiter)];
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
