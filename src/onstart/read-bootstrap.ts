import { readFileSync } from "node:fs";

/** Reads the script as it lies in the repository, or beside the bundle: the bundler copies what this URL names. */
export function readBootstrap(): string {
  return readFileSync(new URL("../../onstart/bootstrap.sh", import.meta.url), "utf8");
}
