import type { ProxySettings } from "../../http/http-way.ts";

/**
 * The proxies that the environment names, in either case of letters; undefined when there are none
 * that can be used.
 */
export function readProxy(): ProxySettings | undefined {
  const httpProxy = address("http_proxy");
  const httpsProxy = address("https_proxy");
  if (httpProxy === undefined && httpsProxy === undefined) return undefined;
  const noProxy = variable("no_proxy");
  return { ...(httpProxy && { httpProxy }), ...(httpsProxy && { httpsProxy }), ...(noProxy && { noProxy }) };
}

/**
 * As other programs do, `proxy.example.com:3128` is read as an http address. What can't be read at
 * all is not used.
 */
function address(name: string): string | undefined {
  const text = variable(name);
  const withScheme = text && !text.includes("://") ? `http://${text}` : text;
  return withScheme && URL.canParse(withScheme) ? withScheme : undefined;
}

function variable(name: string): string | undefined {
  return process.env[name] || process.env[name.toUpperCase()] || undefined;
}
