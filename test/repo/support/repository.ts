import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The repository's root, with a slash at its end. */
export const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

/** Made by npm, tsc, the tests, editors and git (a file in a worktree): not the repository's. */
const MADE = new Set(["node_modules", "lib", "coverage", ".git", ".tmp", ".vscode", ".idea"]);

/** The text of a file, by its path from the root. */
export function textOf(path: string): string {
  return readFileSync(join(ROOT, path), "utf8");
}

/** All paths below a folder with these endings, from the root; `dist` only if asked for. */
export function filesIn(folder: string, ...endings: string[]): string[] {
  const isMeant = (path: string) => endings.length === 0 || endings.some((ending) => path.endsWith(ending));
  const entries = readdirSync(join(ROOT, folder), { withFileTypes: true }).filter(({ name }) => !MADE.has(name));
  const found = entries.flatMap((entry) => {
    const path = folder === "." ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) return entry.name === "dist" ? [] : filesIn(path, ...endings);
    return entry.isFile() && isMeant(path) ? [path] : [];
  });
  return found.sort();
}
