import { resolve } from "node:path";
import { runProgram } from "./run-program.ts";
import { SetupError, wordsOf } from "./setup-error.ts";

/** A checkout, and where it comes from. */
export interface Checkout {
  root: string;
  host: string;
  /** owner/name */
  repository: string;
  /** Undefined: no branch is checked out. */
  branch: string | undefined;
  /** Of all its work trees. */
  gitFolder: string;
}

/** A repository, as a remote's address names it. */
interface Remote {
  host: string;
  /** owner/name */
  repository: string;
  /** What ssh is called with: it may be a name of the user's own settings. Undefined: ssh has no part in it. */
  sshName: string | undefined;
}

const PATH = String.raw`([^/:][^/]*\/[^/]+?)(?:\.git)?\/?$`;
const HOST = String.raw`([^-/:@\s][^/:@\s]*)`;
const WITH_SCHEME = new RegExp(
  String.raw`^(https?|git|ssh|git\+ssh|ssh\+git):\/\/(?:[^@/]+@)?${HOST}(?::\d+)?\/${PATH}`,
);
/** As scp writes it. One letter before the colon is a drive of Windows. */
const AS_SCP = new RegExp(String.raw`^(?!.:)(?:[^@/:]+@)?${HOST}(?::\d+\/|:\/?)${PATH}`);

/** Reads host and owner/name from a remote's address. */
export function readRemote(url: string): Remote | undefined {
  const [, scheme, ...addressed] = WITH_SCHEME.exec(url.trim()) ?? [];
  const [name, repository] = scheme === undefined ? (AS_SCP.exec(url.trim()) ?? []).slice(1) : addressed;
  if (name === undefined || repository === undefined) return undefined;
  const isBySsh = scheme === undefined || scheme.includes("ssh");
  return { host: webHost(name), repository, sshName: isBySsh ? name : undefined };
}

/** github.com has names of its own for ssh through a firewall, and for browsers. */
function webHost(host: string): string {
  return /^(?:ssh|www)\.github\.com$/i.test(host) ? "github.com" : host.toLowerCase();
}

/** How long ssh may think about a name: the user's settings may start programs and ask servers. */
const SSH_LIMIT_MS = 5_000;

/** The host behind a name that only ssh knows. A number is no host that anybody logs in to. */
async function hostBehind({ host, sshName }: Remote): Promise<string> {
  if (sshName === undefined || host === "github.com") return host;
  // It connects to nothing.
  const words = ["-G", "--", sshName];
  const ended = await runProgram("ssh", words, { limitMs: SSH_LIMIT_MS }).catch(() => undefined);
  const [, meant] = /^hostname ([a-z\d][\w.-]*)\r?$/im.exec(ended?.code === 0 ? ended.out : "") ?? [];
  return meant === undefined || /^[\d.]+$/.test(meant) ? host : webHost(meant);
}

/** The repository of a folder. */
export async function findCheckout(folder: string): Promise<Checkout> {
  const root = await tried(folder, ["rev-parse", "--show-toplevel"]);
  if (root === undefined) throw await noCheckout(folder);
  const url = await originOf(root);
  const remote = url === undefined ? undefined : await remoteOf(root, url);
  if (remote === undefined)
    throw new SetupError(
      url === undefined
        ? "The repository has no remote named origin."
        : `The remote origin, ${url}, is no repository of GitHub.`,
      "Push it to GitHub first: gh repo create --source . --push",
    );
  const branch = await tried(root, ["symbolic-ref", "--short", "-q", "HEAD"]);
  const gitFolder = resolve(root, (await git(root, ["rev-parse", "--git-common-dir"])).trim());
  return { root, host: await hostBehind(remote), repository: remote.repository, branch, gitFolder };
}

/** The address of the remote that a clone comes from; undefined: it has none. */
export async function originOf(folder: string): Promise<string | undefined> {
  return await tried(folder, ["config", "--get", "remote.origin.url"]);
}

async function noCheckout(folder: string): Promise<SetupError> {
  if ((await tried(folder, ["rev-parse", "--is-bare-repository"])) === "true")
    return new SetupError(
      `${folder} is a bare repository, which has no files.`,
      "Clone it, and run this in the clone.",
    );
  return new SetupError(
    `${folder} is in no git repository.`,
    "Run this in your repository's folder, or give --repo DIR.",
  );
}

/** Reads the origin's address. What looks like a mere `HOST:` may be an abbreviation of the user's own (`insteadOf`). */
async function remoteOf(root: string, url: string): Promise<Remote | undefined> {
  const asWritten = /@|:\/\//.test(url) ? readRemote(url) : undefined;
  return asWritten ?? readRemote(await git(root, ["remote", "get-url", "origin"]));
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

/** What git prints; undefined where it fails. */
async function tried(folder: string, words: readonly string[]): Promise<string | undefined> {
  return await git(folder, words).then(
    (out) => out.trim(),
    () => undefined,
  );
}

/** The files in a folder of a commit, such as `origin/main` as it was last fetched. */
export async function filesOf(root: string, commit: string, folder: string): Promise<string[]> {
  return (await tried(root, ["ls-tree", "-r", "--name-only", commit, "--", folder]))?.split("\n") ?? [];
}

/** The text of a file in a commit; undefined: it has none. */
export async function committed(root: string, commit: string, path: string): Promise<string | undefined> {
  return await git(root, ["show", `${commit}:${path}`]).catch(() => undefined);
}

/**
 * Commits files, and pushes their branch. What else is staged stays out. `from` is the branch that a new one begins at,
 * as it was last fetched; undefined: `branch` is checked out.
 */
export async function commitAndPush(
  { root, branch, from }: { root: string; branch: string; from: string | undefined },
  paths: readonly string[],
  message: string,
): Promise<void> {
  if (from !== undefined) await switchTo(root, branch, from);
  await git(root, ["add", "--all", "--", ...paths]);
  const staged = await git(root, ["diff", "--cached", "--name-only", "--", ...paths]);
  if (staged.trim() !== "") await git(root, ["commit", "--quiet", "--message", message, "--only", "--", ...paths]);
  const way =
    from === undefined
      ? "The commit is made. If the branch is protected, run this again with --commit pull-request."
      : "The commit is made. If git has no login here, run: gh auth setup-git";
  await git(root, ["push", "--quiet", "--set-upstream", "origin", branch]).catch(toldWith(way));
}

/** What is not committed comes along. What is committed and not on GitHub's branch stays out of a pull request. */
async function switchTo(root: string, branch: string, from: string): Promise<void> {
  const start = (await isKnown(root, `refs/remotes/origin/${from}`)) ? [`origin/${from}`] : [];
  const words = (await isKnown(root, `refs/heads/${branch}`)) ? [branch] : ["--no-track", "-c", branch, ...start];
  const way = "Commit what is in the way, or put it aside (git stash), and run this again.";
  await git(root, ["switch", ...words]).catch(toldWith(way));
}

function toldWith(way: string) {
  return (fault: unknown): never => {
    throw new SetupError(wordsOf(fault), way, fault);
  };
}

/** Whether there is such a commit, by the full name of a branch, or `HEAD`. */
export async function isKnown(root: string, name: string): Promise<boolean> {
  return Boolean(await tried(root, ["rev-parse", "--verify", "--quiet", name]));
}
