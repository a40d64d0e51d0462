import type { ProxySettings } from "../shared/http-client.ts";

/** The proxies of the environment, in either case; undefined when none can be used. */
export function readProxy(): ProxySettings | undefined {
  const httpProxy = address("http_proxy");
  const httpsProxy = address("https_proxy");
  if (httpProxy === undefined && httpsProxy === undefined) return undefined;
  const noProxy = variable("no_proxy");
  return { ...(httpProxy && { httpProxy }), ...(httpsProxy && { httpsProxy }), ...(noProxy && { noProxy }) };
}

/** Reads `proxy.example.com:3128` as http, as others do; an unreadable address isn't used. */
function address(name: string): string | undefined {
  const text = variable(name);
  const withScheme = text && !text.includes("://") ? `http://${text}` : text;
  return withScheme && URL.canParse(withScheme) ? withScheme : undefined;
}

function variable(name: string): string | undefined {
  return process.env[name] || process.env[name.toUpperCase()] || undefined;
}
