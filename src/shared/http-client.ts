import type { Dispatcher } from "undici";

/** Addresses with their scheme; `noProxy` as the usual variable has it. */
export interface ProxySettings {
  httpProxy?: string;
  httpsProxy?: string;
  noProxy?: string;
}

/** One request. Without a body, `null`. */
export interface HttpRequest {
  method: Dispatcher.HttpMethod;
  headers?: Record<string, string>;
  body?: string | null;
  signal: AbortSignal;
}

/** Where a way leads, and how long an answer may be, in bytes. */
interface HttpClientOptions {
  hostname: string;
  proxy?: ProxySettings | undefined;
  mostBytes: number;
}

/** Loads undici before sending: on a busy machine that would eat the time for an answer. */
export async function loadHttp(): Promise<void> {
  await import("undici");
}

/** A way to one host. Follows no redirect: a key must not travel to another host. */
export class HttpClient {
  readonly #options: HttpClientOptions;
  /** True when the host is this very machine. */
  readonly isLocal: boolean;
  #agent: Dispatcher | undefined;
  #isClosed = false;

  constructor(options: HttpClientOptions) {
    this.#options = options;
    this.isLocal = isLoopback(options.hostname);
  }

  /**
   * Sends once. Throws when no answer comes, and the signal's reason as soon as it aborts; its body
   * throws when it breaks off or is too long.
   */
  async send(url: URL, request: HttpRequest): Promise<Dispatcher.ResponseData> {
    // Loaded when something is first asked: it takes longer than Node itself.
    const undici = await import("undici");
    if (this.#isClosed) throw new Error("the connection is closed");
    request.signal.throwIfAborted();
    this.#agent ??= this.#openAgent(undici, url);
    return await orAborted(undici.request(url, { ...request, dispatcher: this.#agent }), request.signal);
  }

  /** Drops every open socket, so that the process can end. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#agent?.destroy();
  }

  #openAgent({ Agent, EnvHttpProxyAgent }: typeof import("undici"), { protocol }: URL): Dispatcher {
    const { proxy = {}, mostBytes: maxResponseSize } = this.#options;
    // Over HTTP/2 undici sends by itself again what the other side refused: it must not, for a
    // create.
    const common = { maxResponseSize, allowH2: false };
    // undici would take the proxy for http in the place of one for https that is not there.
    const named = protocol === "https:" ? proxy.httpsProxy : proxy.httpProxy;
    // A key for this very machine must not pass a proxy in the clear.
    if (this.isLocal || named === undefined) return new Agent(common);
    // Empty, as undici would read what is missing from the environment, which may be unreadable.
    return new EnvHttpProxyAgent({ httpProxy: "", httpsProxy: "", noProxy: "", ...proxy, ...common });
  }
}

/**
 * undici heeds a signal only when it is connected, which a host or a proxy that keeps silent can
 * put off for minutes. It sends nothing after that.
 */
async function orAborted<T>(sent: Promise<T>, signal: AbortSignal): Promise<T> {
  let onAbort = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    onAbort = () => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
  });
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
