import type { ProxySettings } from "./http-client.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads the proxies of an environment, named in small or capital letters; undefined if none can be used. */
export function readProxy(env: Environment): ProxySettings | undefined {
  const httpProxy = address(env, "http_proxy");
  const httpsProxy = address(env, "https_proxy");
  if (httpProxy === undefined && httpsProxy === undefined) return undefined;
  const noProxy = variable(env, "no_proxy");
  return { ...(httpProxy && { httpProxy }), ...(httpsProxy && { httpsProxy }), ...(noProxy && { noProxy }) };
}

/** Reads a proxy's address. `proxy.example.com:3128` counts as http; an address that can't be read is not used. */
function address(env: Environment, name: string): string | undefined {
  const text = variable(env, name);
  const withScheme = text && !text.includes("://") ? `http://${text}` : text;
  return withScheme && URL.canParse(withScheme) ? withScheme : undefined;
}

function variable(env: Environment, name: string): string | undefined {
  return env[name] || env[name.toUpperCase()] || undefined;
}
