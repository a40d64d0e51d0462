import { createHash, randomInt } from "node:crypto";

const ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789";
const LABEL =
  /^ghr1\.(?<server>[a-z]{4})?(?<repository>\d+)\.(?<run>\d+)-(?<attempt>\d+)\.(?<session>[a-z0-9]{6})\.(?<machine>\d+)\.(?<expiry>\d+)$/;

/** The mark of a session: what the labels of all its instances have in common. */
export interface SessionMark {
  /** Empty on github.com; else four letters hashed from its name: repository ids repeat. */
  server: string;
  repositoryId: number;
  runId: number;
  attempt: number;
  /** Six random characters: they tell sessions of matrix jobs, or of one job, from each other. */
  sessionId: string;
}

/** The content of one of our labels. `expiry` in milliseconds since the epoch; the text has seconds. */
export interface Label extends SessionMark {
  machineNo: number;
  expiry: number;
}

/** Draws the six characters that tell a session from every other one. */
export function drawSessionId(): string {
  return Array.from({ length: 6 }, () => ALPHABET[randomInt(ALPHABET.length)]).join("");
}

/** Hashes a GitHub server's name to the four letters that stand for it in labels; empty for github.com. */
export function serverLetters(serverUrl: string): string {
  const host = new URL(serverUrl).hostname;
  if (host === "github.com") return "";
  return [...createHash("sha256").update(host).digest().subarray(0, 4)].map((byte) => ALPHABET[byte % 26]).join("");
}

/** Makes the prefix of every label of a session, without the dot that follows it. */
export function labelPrefix({ server, repositoryId, runId, attempt, sessionId }: SessionMark): string {
  return `ghr1.${server}${repositoryId}.${runId}-${attempt}.${sessionId}`;
}

/** Makes the label of one create of a session. At most 60 characters of `[a-z0-9.-]`. */
export function makeLabel(prefix: string, machineNo: number, expiry: number): string {
  return `${prefix}.${machineNo}.${Math.floor(expiry / 1000)}`;
}

/** True for an instance of this session: the prefix **and a dot**, which no other session's label has. */
export function hasPrefix(label: string | undefined, prefix: string): boolean {
  return label?.startsWith(`${prefix}.`) ?? false;
}

/** Reads one of our labels; undefined for anybody else's, and for one whose numbers only look like ours. */
export function readLabel(label: string): Label | undefined {
  const parts = LABEL.exec(label)?.groups;
  if (!parts) return undefined;
  const [repositoryId = 0, runId = 0, attempt = 0] = [parts.repository, parts.run, parts.attempt].map(Number);
  const mark = { server: parts.server ?? "", repositoryId, runId, attempt, sessionId: String(parts.session) };
  const read = { ...mark, machineNo: Number(parts.machine), expiry: Number(parts.expiry) * 1000 };
  return makeLabel(labelPrefix(read), read.machineNo, read.expiry) === label ? read : undefined;
}
