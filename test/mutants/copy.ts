import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { runGroup } from "./group.ts";

/** The repository whose copies are broken. */
export const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** Many times what the slowest kind takes. */
const LONGEST_PLAY_MS = 30 * 60_000;

/** Copies what git has or would take to a folder of its own; packages by a link. */
export function copyRepository(): string {
  const folder = mkdtempSync(join(tmpdir(), "mutants-"));
  const listed = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "--deduplicate"], {
    cwd: ROOT,
    encoding: "utf8",
  });
  for (const path of listed.trim().split("\n")) cpSync(join(ROOT, path), join(folder, path), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  return folder;
}

/** Lists the files of a copy in which the compiler finds a fault. */
export function unsoundFiles(folder: string): string[] {
  const { status, stdout } = spawnSync(
    join(folder, "node_modules/.bin/tsc"),
    [
      ..."-p scripts/tsconfig/build.json --noEmit --pretty false --noUnusedLocals false --noUnusedParameters false".split(
        " ",
      ),
    ],
    { cwd: folder, encoding: "utf8" },
  );
  if (status === 0) return [];
  const files = stdout.split("\n").flatMap((line) => /^(\S+?)\(\d+,\d+\): error /.exec(line)?.[1] ?? []);
  if (files.length === 0) throw new Error(`The compiler did not say what is wrong. ${stdout}`);
  return [...new Set(files)];
}

/** Runs one kind of tests in a copy, or these files of it, until one is red, for half an hour at most. */
export async function playProject(
  folder: string,
  project: string,
  ...files: string[]
): Promise<"green" | "red" | "hangs"> {
  const vitest = join(folder, "node_modules/vitest/vitest.mjs");
  const args = [vitest, "run", "--project", project, "--bail", "1", "--reporter", "dot", ...files];
  const { code, isLate } = await runGroup(args, LONGEST_PLAY_MS, {
    cwd: folder,
    env: { ...process.env, BUILT_ACTION: "", PATH: `${dirname(process.execPath)}:${process.env.PATH}` },
    stdio: "ignore",
  });
  if (isLate) return "hangs";
  if (code === null) throw new Error("The tests were ended by a signal.");
  return code === 0 ? "green" : "red";
}
