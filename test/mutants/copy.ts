import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { runGroup } from "./group.ts";

/** The repository whose copies are broken. */
export const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** Many times what the slowest kind takes. */
const LONGEST_PLAY_MS = 30 * 60_000;

const COMPILE = "-p scripts/tsconfig/build.json --noEmit --incremental --tsBuildInfoFile compiled.json --pretty false";
/** A mutant may leave something unused. */
const UNUSED_IS_FINE = "--noUnusedLocals false --noUnusedParameters false";

/** A copy of what git has or would take, packages by a link; it is gone with its user. */
export class Copy implements Disposable {
  readonly #folder = mkdtempSync(join(tmpdir(), "mutants-"));

  constructor() {
    const list = ["ls-files", "--cached", "--others", "--exclude-standard", "--deduplicate"];
    const listed = execFileSync("git", list, { cwd: ROOT, encoding: "utf8" }).trim().split("\n");
    for (const path of listed) cpSync(join(ROOT, path), join(this.#folder, path), { recursive: true });
    symlinkSync(join(ROOT, "node_modules"), join(this.#folder, "node_modules"));
  }

  /** Does something while a file has another text. */
  async broken<T>(path: string, change: (text: string) => string, work: () => T | Promise<T>): Promise<T> {
    const file = join(this.#folder, path);
    const text = readFileSync(file, "utf8");
    writeFileSync(file, change(text));
    try {
      return await work();
    } finally {
      writeFileSync(file, text);
    }
  }

  /** Asks the compiler, which notices nothing where it finds no fault. */
  compile(): "missed" | "no code" {
    const args = `${COMPILE} ${UNUSED_IS_FINE}`.split(" ");
    const options = { cwd: this.#folder, encoding: "utf8" } as const;
    const { status, stdout } = spawnSync(join(this.#folder, "node_modules/.bin/tsc"), args, options);
    if (status !== 0 && !stdout.includes(": error TS"))
      throw new Error(`The compiler did not say what is wrong. ${stdout}`);
    return status === 0 ? "missed" : "no code";
  }

  /** Runs one kind of tests, or these files of it, until one is red, for half an hour at most. */
  async play(project: string, ...files: string[]): Promise<"missed" | "caught" | "hangs"> {
    const vitest = join(this.#folder, "node_modules/vitest/vitest.mjs");
    const args = [vitest, "run", "--project", project, "--bail", "1", "--reporter", "dot", ...files];
    const { code, isLate } = await runGroup(args, LONGEST_PLAY_MS, {
      cwd: this.#folder,
      env: { ...process.env, BUILT_ACTION: "", PATH: `${dirname(process.execPath)}:${process.env.PATH}` },
      stdio: "ignore",
    });
    if (isLate) return "hangs";
    if (code === null) throw new Error("The tests were ended by a signal.");
    return code === 0 ? "missed" : "caught";
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
