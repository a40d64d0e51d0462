import { readFileSync } from "node:fs";

/** Reads the script that the bootstrap runs, as it lies in the repository, or beside the bundle: the bundler copies what this URL names. */
export function readWork(): string {
  return readFileSync(new URL("../../onstart/work.sh", import.meta.url), "utf8");
}
