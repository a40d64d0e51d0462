import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const VARIABLE = "BUILT_ACTION";

/** The folder with action.yml and the bundles: what this run of the tests has built, else this repository. */
export const ACTION = process.env[VARIABLE] ?? ROOT;

/** Lets its processes share what V8 has compiled, as compiling is a sixth of what a short one computes. */
export const COMPILED_ONCE: Readonly<Record<string, string>> =
  ACTION === ROOT ? {} : { NODE_COMPILE_CACHE: `${ACTION}compiled` };

/** Builds the action to a temporary folder before the first test, once for all projects of a run. */
export function setup(): (() => void) | undefined {
  if (process.env[VARIABLE]) return undefined;
  const folder = mkdtempSync(join(tmpdir(), "built-action-"));
  const path = `${join(ROOT, "node_modules/.bin")}:${process.env.PATH}`;
  execFileSync(process.execPath, ["scripts/build.mjs", join(folder, "dist")], {
    cwd: ROOT,
    env: { ...process.env, PATH: path },
    stdio: ["ignore", "ignore", "inherit"],
  });
  for (const file of ["action.yml", "sweep/action.yml"]) cpSync(join(ROOT, file), join(folder, file));
  process.env[VARIABLE] = `${folder}/`;
  return () => rmSync(folder, { recursive: true, force: true });
}
