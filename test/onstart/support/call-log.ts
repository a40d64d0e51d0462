import { appendFileSync, readFileSync } from "node:fs";

/** The calls of a machine's commands and the requests to its service, in order. */
export type CallLog = ReturnType<typeof callLog>;

/** Opens a log in a file, so that commands of the machine can write to it, too. */
export function callLog(path: string) {
  // Made here, so that it is the machine's, whose user may be another one.
  appendFileSync(path, "");
  const lines = () => readFileSync(path, "utf8").split("\n").slice(0, -1);
  return {
    lines,
    add: (line: string) => appendFileSync(path, `${line}\n`),
    /** The lines that start with one of these words. */
    only: (...words: string[]) => lines().filter((line) => words.some((word) => `${line} `.startsWith(`${word} `))),
  };
}
