import { createHash, randomInt } from "node:crypto";

const VERSION = "ghr1";
const USE_ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789";
const USE_LENGTH = 6;
const LABEL =
  /^ghr1\.(?<server>[a-z]{4})?(?<repository>\d+)\.(?<run>\d+)-(?<attempt>\d+)\.(?<use>[a-z0-9]{6})\.(?<n>\d+)\.(?<expiry>\d+)$/;

/** The mark of a session: what the labels of all its instances have in common. */
export interface SessionMark {
  /** Empty on github.com; else four letters hashed from its name: repository ids repeat. */
  server: string;
  repositoryId: number;
  runId: number;
  attempt: number;
  /** Six random characters: they tell sessions of matrix jobs, or of one job, from each other. */
  use: string;
}

/** The content of a label of ours. `expiry` in milliseconds since the epoch; the text has seconds. */
export interface Label extends SessionMark {
  n: number;
  expiry: number;
}

/** Draws the six characters that tell a session from every other. */
export function drawSessionId(): string {
  return Array.from({ length: USE_LENGTH }, () => USE_ALPHABET[randomInt(USE_ALPHABET.length)]).join("");
}

/** The letters that stand for a GitHub server; empty for github.com. */
export function serverLetters(serverUrl: string): string {
  const host = new URL(serverUrl).hostname;
  if (host === "github.com") return "";
  return [...createHash("sha256").update(host).digest().subarray(0, 4)].map((byte) => USE_ALPHABET[byte % 26]).join("");
}

/** Makes the prefix of every label of a session, without the dot after `use`. */
export function labelPrefix(use: SessionMark): string {
  return `${VERSION}.${use.server}${use.repositoryId}.${use.runId}-${use.attempt}.${use.use}`;
}

/** Makes the label of the n-th create of a session. At most 60 characters of `[a-z0-9.-]`. */
export function makeLabel(prefix: string, n: number, expiry: number): string {
  return `${prefix}.${n}.${Math.floor(expiry / 1000)}`;
}

/** True for an instance of this session: the prefix **and a dot**, which no other session's label has. */
export function hasPrefix(label: string | undefined, prefix: string): boolean {
  return label?.startsWith(`${prefix}.`) ?? false;
}

/**
 * Reads a label of ours; undefined for anybody else's, and for one that only looks like ours: a
 * number with zeros before it, or too long for one.
 */
export function readLabel(label: string): Label | undefined {
  const parts = LABEL.exec(label)?.groups;
  if (!parts) return undefined;
  const read = {
    server: parts.server ?? "",
    repositoryId: Number(parts.repository),
    runId: Number(parts.run),
    attempt: Number(parts.attempt),
    use: String(parts.use),
    n: Number(parts.n),
    expiry: Number(parts.expiry) * 1000,
  };
  return makeLabel(labelPrefix(read), read.n, read.expiry) === label ? read : undefined;
}
