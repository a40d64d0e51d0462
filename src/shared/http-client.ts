import { lookup } from "node:dns/promises";
import { BlockList, isIPv6 } from "node:net";
import type { buildConnector, Dispatcher } from "undici";

/** The proxies' addresses, with a scheme. `noProxy` has the form of the variable NO_PROXY. */
export interface ProxySettings {
  httpProxy?: string;
  httpsProxy?: string;
  noProxy?: string;
}

/** undici itself names no program, and gateways were seen to refuse whoever names none. */
const USER_AGENT = "ephemeral-gpu-runner";

/** One request. `body` is null or left out if there is none. */
interface HttpRequest {
  method: Dispatcher.HttpMethod;
  headers?: Record<string, string>;
  body?: string | null;
  signal: AbortSignal;
}

/** The host of a client, its proxies, and how many bytes an answer may have. */
interface HttpClientOptions {
  hostname: string;
  proxy?: ProxySettings | undefined;
  mostBytes: number;
}

/** Loads undici ahead of the first request, because loading must not count as waiting for the answer. */
export async function loadHttp(): Promise<void> {
  await import("undici");
}

/**
 * Sends requests to one host, and to those that it names. Follows no redirect, because a key must not travel to
 * another host. A host may name one at a private address only if it is at one itself.
 */
export class HttpClient {
  readonly #options: HttpClientOptions;
  /** True when the host is this very machine. */
  readonly isLocal: boolean;
  #agent: Dispatcher | undefined;
  #isClosed = false;
  /** Whether the host is at a private address, by its own connection where there was one. */
  #isPrivate: boolean | undefined;

  constructor(options: HttpClientOptions) {
    this.#options = options;
    this.isLocal = isLoopback(options.hostname);
  }

  /** Sends once. Throws the signal's reason, or if no answer comes. A body that breaks off or is too long throws. */
  async send(url: URL, request: HttpRequest): Promise<Dispatcher.ResponseData> {
    // Loaded only when the first request is sent, because loading undici takes longer than starting Node.
    const undici = await import("undici");
    if (this.#isClosed) throw new Error("the connection is closed");
    request.signal.throwIfAborted();
    this.#agent ??= this.#openAgent(undici, url);
    const headers = { "user-agent": USER_AGENT, ...request.headers };
    return await orAborted(undici.request(url, { ...request, headers, dispatcher: this.#agent }), request.signal);
  }

  /** Drops every open socket, so that the process can end. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#agent?.destroy();
  }

  #openAgent({ Agent, buildConnector, EnvHttpProxyAgent }: typeof import("undici"), { protocol }: URL): Dispatcher {
    const { proxy = {}, mostBytes: maxResponseSize } = this.#options;
    // Over HTTP/2 undici repeats a request that the other side refused. A create must never be repeated.
    const common = { maxResponseSize, allowH2: false, connect: this.#connector(buildConnector) };
    // If there is a proxy for http alone, undici would use it for https, too.
    const named = protocol === "https:" ? proxy.httpsProxy : proxy.httpProxy;
    // A key for this very machine must not pass a proxy in the clear.
    if (this.isLocal || named === undefined) return new Agent(common);
    // The empty texts keep undici from reading the missing ones from the environment, where an
    // address may be invalid.
    return new EnvHttpProxyAgent({ httpProxy: "", httpsProxy: "", noProxy: "", ...proxy, ...common });
  }

  /** Makes connections that are checked by the address at their end: a name may mean any. A proxy makes its own. */
  #connector(make: typeof buildConnector): buildConnector.connector {
    const connect = make({ allowH2: false });
    return (options, callback) =>
      connect(options, async (...[error, socket]) => {
        if (error !== null) return callback(error, null);
        if (await this.#mayAsk(options.hostname, socket.remoteAddress ?? "")) return callback(null, socket);
        socket.destroy();
        callback(new Error(`${options.hostname} is at a private address, and was named by a host that is not`), null);
      });
  }

  async #mayAsk(hostname: string, address: string): Promise<boolean> {
    const isPrivate = isPrivateAddress(address);
    const own = this.#options.hostname.replace(/^\[|\]$/g, "");
    if (hostname === own) this.#isPrivate = isPrivate;
    if (hostname === own || !isPrivate) return true;
    // A host that can't be found is at no private address.
    this.#isPrivate ??= await lookup(own)
      .then((found) => isPrivateAddress(found.address))
      .catch(() => false);
    return this.#isPrivate;
  }
}

/** Throws as soon as the signal aborts. undici heeds one only once it is connected, which can take minutes. */
async function orAborted<T>(sent: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([sent, aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

/** True for this very machine's names and addresses: no other host can read what goes there. */
export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname);
}

/** Networks that nobody can reach from outside, this very machine included. An IPv4 address within IPv6 counts as itself. */
const PRIVATE_NETWORKS = {
  ipv4: "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.168.0.0/16 198.18.0.0/15",
  ipv6: "::/127 fc00::/7 fe80::/10",
} as const;
const PRIVATE = new BlockList();
for (const family of ["ipv4", "ipv6"] as const)
  for (const [address = "", bits] of PRIVATE_NETWORKS[family].split(" ").map((network) => network.split("/")))
    PRIVATE.addSubnet(address, Number(bits), family);

/** True for an address that no public host can have. */
export function isPrivateAddress(address: string): boolean {
  return PRIVATE.check(address.replace(/%.*$/, ""), isIPv6(address) ? "ipv6" : "ipv4");
}
