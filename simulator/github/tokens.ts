import { randomBytes } from "node:crypto";
import type { SimClock } from "../clock/sim-clock.ts";

/** Areas that a token may see or change, beside a repository's metadata. */
const AREAS = ["actions", "checks", "contents", "administration", "organization_self_hosted_runners"] as const;
type Area = (typeof AREAS)[number];

/** A call's demand; every token may read a repository's metadata. */
export type Permission = "metadata=read" | `${Area}=${Level}`;

/** How much of one permission a token has. */
type Level = "read" | "write";

/** A token's kind and rights. */
export interface TokenSpec {
  /** The name by which the journal speaks of it. */
  name: string;
  /** Decides the words of a refusal: a workflow's own or an app's token, or a person's. */
  kind: "integration" | "personal";
  permissions: Partial<Record<Area, Level>>;
  /** Requests an hour (default 5000). */
  limit?: number;
}

const WINDOW_MS = 3_600_000;

/** One token, what it may do, and how much of its rate limit is used. */
export interface Account extends Required<TokenSpec> {
  /** All requests that counted, since the start. */
  counted: number;
  /** Those of the window that ends at `resetAt` (simulated milliseconds). */
  used: number;
  resetAt: number;
}

/** Opens the tokens that the stand-in accepts. */
export function openTokens(clock: SimClock) {
  const accounts = new Map<string, Account>();
  return {
    /** Makes a token known. */
    add(token: string, spec: TokenSpec): void {
      accounts.set(token, { limit: 5_000, ...spec, counted: 0, used: 0, resetAt: 0 });
    },
    /** Finds what is behind a token; undefined for an unknown one. */
    find: (token: string) => accounts.get(token),
    /** Begins a new window when the old one is over. */
    refresh(account: Account): void {
      if (clock.now() < account.resetAt) return;
      account.used = 0;
      account.resetAt = clock.now() + WINDOW_MS;
    },
    /** Counts one request. */
    count(account: Account): void {
      account.counted += 1;
      account.used = Math.min(account.used + 1, account.limit);
    },
  };
}

/** Says whether a token may do what a call needs. */
export function allows(account: Account, permission: Permission): boolean {
  const [name, level] = permission.split("=");
  const area = AREAS.find((each) => each === name);
  if (area === undefined) return true;
  const granted = account.permissions[area];
  return granted === "write" || granted === level;
}

/** Makes a token that looks like one of GitHub's. */
export function newToken(prefix: "ghs_" | "github_pat_"): string {
  return `${prefix}${randomBytes(27).toString("base64url").replace(/[-_]/g, "0")}`;
}
