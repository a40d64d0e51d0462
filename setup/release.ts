import { existsSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { git, readRemote } from "./git.ts";
import type { ActionRelease } from "./workflows.ts";

/** What `release.json` beside the packed program says. */
interface Packed {
  version: string;
  /** owner/name of the action's repository; the commit of its tag. */
  repository?: string;
  commit?: string;
}

/** The packed program's own words; undefined in a clone. */
export function readPacked(program: string): Packed | undefined {
  const path = join(dirname(realpathSync(program)), "release.json");
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as Packed) : undefined;
}

/** Which action the files use: the release that this program came with; from a clone, where that comes from. */
export async function findAction(program: string, given: string | undefined): Promise<ActionRelease | undefined> {
  const packed = readPacked(program);
  const repository = given ?? packed?.repository ?? (await cloneOf(program));
  if (repository === undefined) return undefined;
  const { commit, version } = packed ?? {};
  // Before there is a release there is no commit to name.
  return commit === undefined ? { repository, ref: "v1" } : { repository, ref: commit, version: `v${version}` };
}

async function cloneOf(program: string): Promise<string | undefined> {
  const folder = dirname(realpathSync(program));
  const url = await git(folder, ["config", "--get", "remote.origin.url"]).catch(() => undefined);
  return url === undefined ? undefined : readRemote(url)?.repository;
}
