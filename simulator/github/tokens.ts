import { randomBytes } from "node:crypto";

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

/** One token, what it may do, and how much of its rate limit is used. */
export interface Account extends Required<TokenSpec> {
  /** All requests that counted, since the start: here no hour gives them back. */
  counted: number;
}

/** A token that was not used yet. */
export function newAccount(spec: TokenSpec): Account {
  return { limit: 5_000, ...spec, counted: 0 };
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
