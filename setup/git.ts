import { runProgram } from "./run-program.ts";
import { SetupError } from "./setup-error.ts";

/** A checkout, and where it comes from. */
export interface Checkout {
  root: string;
  host: string;
  /** owner/name */
  repository: string;
  /** Undefined: no branch is checked out. */
  branch: string | undefined;
}

const REMOTE =
  /^(?:https?:\/\/(?:[^@/]+@)?|ssh:\/\/(?:[^@/]+@)?|[^@/]+@)([^/:]+)(?::\d+)?[/:]([^/]+\/[^/]+?)(?:\.git)?\/?$/;

/** Reads host and owner/name from a remote's address. */
export function readRemote(url: string): { host: string; repository: string } | undefined {
  const [, host, repository] = REMOTE.exec(url.trim()) ?? [];
  return host === undefined || repository === undefined ? undefined : { host: webHost(host), repository };
}

/** github.com has names of its own for ssh through a firewall, and for browsers. */
function webHost(host: string): string {
  return /^(?:ssh|www)\.github\.com$/i.test(host) ? "github.com" : host.toLowerCase();
}

/** The repository of a folder. */
export async function findCheckout(folder: string): Promise<Checkout> {
  const top = await git(folder, ["rev-parse", "--show-toplevel"]).catch(() => undefined);
  if (top === undefined)
    throw new SetupError(
      `${folder} is in no git repository.`,
      "Run this in your repository's folder, or give --repo DIR.",
    );
  const root = top.trim();
  const url = await git(root, ["config", "--get", "remote.origin.url"]).catch(() => undefined);
  const remote = url === undefined ? undefined : (readRemote(url) ?? readRemote(await writtenOut(root)));
  if (remote === undefined)
    throw new SetupError(
      url === undefined
        ? "The repository has no remote named origin."
        : `The remote origin, ${url.trim()}, is no repository of GitHub.`,
      "Push it to GitHub first: gh repo create --source . --push",
    );
  const branch = await git(root, ["symbolic-ref", "--short", "-q", "HEAD"]).catch(() => undefined);
  return { root, ...remote, branch: branch?.trim() };
}

/** The address of the origin without abbreviations of the user's own (`insteadOf`). */
async function writtenOut(root: string): Promise<string> {
  return await git(root, ["remote", "get-url", "origin"]);
}

/** Runs git in a folder; gives what it printed. */
export async function git(folder: string, words: readonly string[], input?: string): Promise<string> {
  // No question of git's own may hang where nobody sees it.
  const env = { GIT_TERMINAL_PROMPT: "0" };
  const ended = await runProgram("git", words, { cwd: folder, env, ...(input !== undefined && { input }) });
  if (ended.code === undefined) throw new SetupError("git is not installed.", "Install it from https://git-scm.com.");
  if (ended.code !== 0) throw new SetupError(`git ${words[0]} failed: ${(ended.err || ended.out).trim()}`);
  return ended.out;
}

/** The files among these that a commit has, such as `HEAD`, or `origin/main` as it was last fetched. */
export async function filesOf(root: string, commit: string, paths: readonly string[]): Promise<string[]> {
  const listed = await git(root, ["ls-tree", "-r", "--name-only", commit, "--", ...paths]).catch(() => "");
  return listed.split("\n").filter((path) => path !== "");
}

/** A commit that holds some files alone. */
export interface FilesCommit {
  root: string;
  paths: readonly string[];
  message: string;
  branch: string;
  /** Made anew from what is checked out. */
  isNew: boolean;
}

/** Commits files, and pushes their branch. What else is staged stays out. */
export async function commitAndPush({ root, paths, message, branch, isNew }: FilesCommit): Promise<void> {
  if (isNew)
    await git(root, [
      "switch",
      (await isKnown(root, branch)) ? branch : "-c",
      ...((await isKnown(root, branch)) ? [] : [branch]),
    ]);
  await git(root, ["add", "--all", "--", ...paths]);
  const staged = await git(root, ["diff", "--cached", "--name-only", "--", ...paths]);
  if (staged.trim() !== "") await git(root, ["commit", "--quiet", "--message", message, "--only", "--", ...paths]);
  await git(root, ["push", "--quiet", "--set-upstream", "origin", branch]);
}

async function isKnown(root: string, branch: string): Promise<boolean> {
  const found = await git(root, ["rev-parse", "--verify", "--quiet", `refs/heads/${branch}`]).catch(() => "");
  return found.trim() !== "";
}
