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
  const top = await git(folder, ["rev-parse", "--show-toplevel"]).catch(() => undefined);
  if (top === undefined)
    throw new SetupError(
      `${folder} is in no git repository.`,
      "Run this in your repository's folder, or give --repo DIR.",
    );
  const root = top.trim();
  const url = await git(root, ["config", "--get", "remote.origin.url"]).catch(() => undefined);
  const remote = url === undefined ? undefined : await remoteOf(root, url);
  if (remote === undefined)
    throw new SetupError(
      url === undefined
        ? "The repository has no remote named origin."
        : `The remote origin, ${url.trim()}, is no repository of GitHub.`,
      "Push it to GitHub first: gh repo create --source . --push",
    );
  const branch = await git(root, ["symbolic-ref", "--short", "-q", "HEAD"]).catch(() => undefined);
  return { root, host: await hostBehind(remote), repository: remote.repository, branch: branch?.trim() };
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
