import { isLoopback } from "../shared/loopback.ts";

/** The demands of a registry's 401. */
export type Challenge =
  /** A token of that address. */
  | { kind: "token"; url: URL }
  /** The login itself. */
  | { kind: "login" };

// From the beginning of a name: to look for one at each of its letters takes minutes for a long
// word.
const PARAMETER = /(?<![a-z])([a-z]+)="([^"\\]*)"/gi;

/**
 * Reads `WWW-Authenticate`; undefined when it can't be obeyed. `registryHost` has asked: only this
 * very machine may name an address on this very machine, and every other address is https.
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
