import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const SCRIPTS = ["bootstrap", "runners", "work", "figures"].map((name) =>
  fileURLToPath(new URL(`../../../onstart/${name}.sh`, import.meta.url)),
);

/** How lines of bash ended, what they printed, and the files that they left. */
export interface Ended {
  readonly status: number | null;
  readonly said: string;
  readonly files: readonly string[];
}

/**
 * Runs lines of bash that use the functions of onstart, in an empty folder: for what a function decides alone. No
 * machine is there, so the lines replace the functions that would ask one. `$@` are the words.
 */
export function runFunctions(lines: string, ...words: string[]): Ended {
  const folder = mkdtempSync(join(tmpdir(), "functions-"));
  const sources = SCRIPTS.map((path) => `source "${path}"`).join("\n");
  const program = `${sources}\nset -Eeuo pipefail; GHR_ROOT=$PWD CONTAINER_ID=7\n${lines}`;
  const options = { cwd: folder, encoding: "utf8", timeout: 60_000 } as const;
  const { status, stdout, stderr } = spawnSync("bash", ["-c", program, "bash", ...words], options);
  const files = readdirSync(folder).sort();
  rmSync(folder, { recursive: true });
  return { status, said: stdout + stderr, files };
}
