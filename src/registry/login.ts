import { registryOf } from "./image-name.ts";

/** Who may pull, from where. The token is a secret. */
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
