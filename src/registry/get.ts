import { type HttpClient, isLoopback } from "../shared/http-client.ts";
import { readJson } from "../shared/json.ts";
import { registryOf } from "./image-name.ts";

/** A login to a registry. The token is a secret. */
export interface Login {
  registry: string;
  username: string;
  token: string;
}

/** Reads `-u USER -p TOKEN REGISTRY`; undefined for anything else. */
export function readLogin(text: string): Login | undefined {
  const parts = /^-u (?<username>\S+) -p (?<token>\S+) (?<registry>\S+)$/.exec(text)?.groups;
  if (!parts) return undefined;
  return { registry: registryOf(String(parts.registry)), username: String(parts.username), token: String(parts.token) };
}

/** The header that proves a login. */
export function basicAuthorization({ username, token }: Login): string {
  return `Basic ${Buffer.from(`${username}:${token}`).toString("base64")}`;
}

/** What a registry's 401 asks for. */
type Challenge =
  /** A token, to be fetched from that address. */
  | { kind: "token"; url: URL }
  /** The user's own login. */
  | { kind: "login" };

// From the beginning of a name: to look for one at each of its letters takes minutes for a long
// word.
const PARAMETER = /(?<![a-z])([a-z]+)="([^"\\]*)"/gi;

/**
 * Reads `WWW-Authenticate`; undefined if we can't or must not obey it. `registryHost` is who asks.
 * An address on this machine is allowed only to a registry on this machine; all others must be
 * https.
 */
export function readChallenge(header: string, registryHost: string): Challenge | undefined {
  if (/^basic\b/i.test(header)) return { kind: "login" };
  if (!/^bearer\b/i.test(header)) return undefined;
  const { realm = "", ...others } = parameters(header);
  const url = URL.canParse(realm) ? new URL(realm) : undefined;
  if (url === undefined || !mayAsk(url, registryHost)) return undefined;
  for (const name of ["service", "scope"]) {
    const value = others[name];
    if (value !== undefined) url.searchParams.set(name, value);
  }
  return { kind: "token", url };
}

function parameters(header: string): Record<string, string> {
  const pairs = Array.from(header.matchAll(PARAMETER), ([, name = "", value = ""]) => [name.toLowerCase(), value]);
  return Object.fromEntries(pairs);
}

function mayAsk(url: URL, registryHost: string): boolean {
  if (url.username !== "" || url.password !== "") return false;
  if (isLoopback(url.hostname)) return isLoopback(new URL(`http://${registryHost}`).hostname);
  return url.protocol === "https:";
}

/** One answer, whatever its status. */
export interface Answer {
  status: number;
  /** Without parameters, in small letters. */
  contentType: string;
  challenge: string;
  json: unknown;
}

/** A manifest is some kilobytes; an index of many platforms some dozen. */
export const MOST_BYTES = 1_000_000;

/** Sends a GET once and follows no redirect. Throws if no whole answer comes. */
export async function get(
  url: URL,
  headers: Record<string, string>,
  { way, signal }: { way: HttpClient; signal: AbortSignal },
): Promise<Answer> {
  const answer = await way.send(url, { method: "GET", headers, signal });
  return {
    status: answer.statusCode,
    contentType: text(answer.headers["content-type"]).replace(/;.*$/, "").trim().toLowerCase(),
    challenge: bearerFirst(answer.headers["www-authenticate"]),
    json: readJson(await answer.body.text()),
  };
}

function text(header: string | string[] | undefined): string {
  return (Array.isArray(header) ? header[0] : header) ?? "";
}

/** Chooses the Bearer scheme if there is one: a registry may offer several, each in a header of its own. */
function bearerFirst(header: string | string[] | undefined): string {
  const all = [header ?? ""].flat();
  return all.find((each) => /^bearer\b/i.test(each)) ?? all[0] ?? "";
}
