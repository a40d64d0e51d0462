import { readFileSync } from "node:fs";

/** Reads a file; empty for one that is not there yet, or any more, or is somebody else's. */
export function readIfThere(path: string, encoding: BufferEncoding = "utf8"): string {
  try {
    return readFileSync(path, encoding);
  } catch {
    return "";
  }
}
