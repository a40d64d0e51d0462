import { appendFileSync, existsSync, readFileSync } from "node:fs";

/** The calls of a machine's commands and the requests to its service, in order. */
export interface CallLog {
  readonly path: string;
  add(line: string): void;
  lines(): string[];
  /** The lines that start with one of these words. */
  only(...words: string[]): string[];
}

/** Opens a log in a file, so that commands of the machine can write to it, too. */
export function callLog(path: string): CallLog {
  // Made here, so that it is the machine's, whose user may be another one.
  appendFileSync(path, "");
  const lines = () => (existsSync(path) ? readFileSync(path, "utf8").split("\n").slice(0, -1) : []);
  return {
    path,
    add: (line) => appendFileSync(path, `${line}\n`),
    lines,
    only: (...words) => lines().filter((line) => words.some((word) => `${line} `.startsWith(`${word} `))),
  };
}
