import type { Clock } from "../shared/clock.ts";
import { HttpClient, type HttpRequest, loadHttp, type ProxySettings } from "../shared/http-client.ts";
import { type RawAnswer, tooFastWait } from "./judge-status.ts";
import { Pace } from "./pace.ts";
import { parseJson } from "./parse-json.ts";
import { NoAnswerError } from "./service-errors.ts";

/** One request on its way. */
export interface Outgoing {
  operation: string;
  method: HttpRequest["method"];
  path: string;
  query: Record<string, string>;
  body: unknown;
  /** Calls of one operation are sent at least this far apart. */
  intervalMs: number;
}

/** How to reach the service, and how long to wait for it. */
export interface ConnectionOptions {
  baseUrl: string;
  apiKey: string;
  clock: Clock;
  /** For one answer, headers and body, in milliseconds. */
  answerTimeoutMs?: number;
  /** No call is waited for after this moment, in milliseconds since the epoch. */
  until?: number | undefined;
  /** Proxies for other hosts than this one. */
  proxy?: ProxySettings | undefined;
}

/** Signals that stop a call `before` it is sent, and on its `way`; mostly the same. */
export interface CallSignals {
  before?: AbortSignal | undefined;
  way?: AbortSignal | undefined;
  /** Called when its turn has come, right before it is sent. */
  onSend?: (() => void) | undefined;
}

const ANSWER_TIMEOUT_MS = 30_000;
/** The longest seen is the list of all instances without pages, with some 30 KB for each. */
const MOST_ANSWER_BYTES = 32_000_000;

/** A way to the service: sends a request, brings the answer as it came, whatever its status. */
export class Connection {
  readonly #options: ConnectionOptions;
  readonly #way: HttpClient;
  readonly #pace: Pace;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#pace = new Pace(options.clock);
    const { hostname } = new URL(options.baseUrl);
    this.#way = new HttpClient({ hostname, proxy: options.proxy, mostBytes: MOST_ANSWER_BYTES });
  }

  /** True when the service is on this very machine. */
  get isLocal(): boolean {
    return this.#way.isLocal;
  }

  /** How long there is still something to wait for, in milliseconds. */
  timeLeftMs(): number {
    return this.#until() - this.#options.clock.now();
  }

  #until(): number {
    return this.#options.until ?? Number.POSITIVE_INFINITY;
  }

  /** Sends once. Throws NoAnswerError without a whole answer, the signal's reason on an abort. */
  async exchange(outgoing: Outgoing, signals: CallSignals = {}): Promise<RawAnswer> {
    const { operation, intervalMs } = outgoing;
    await loadHttp();
    await this.#pace.turn(operation, { intervalMs, until: this.#until(), signal: signals.before });
    signals.before?.throwIfAborted();
    signals.onSend?.();
    const timeout = AbortSignal.timeout(this.#patienceMs());
    try {
      const answer = await this.#send(outgoing, signals.way ? AbortSignal.any([signals.way, timeout]) : timeout);
      this.#pace.note(operation, tooFastWait(answer, intervalMs));
      return answer;
    } catch (error) {
      signals.way?.throwIfAborted();
      throw new NoAnswerError(operation, error);
    }
  }

  /**
   * Asks an address that is not the service's interface: without the key. Brings the first bytes of
   * the answer, and reads no more.
   */
  async fetchText(url: URL, mostBytes: number, signal: AbortSignal): Promise<{ status: number; text: string }> {
    try {
      const answer = await this.#way.send(url, { method: "GET", signal });
      return { status: answer.statusCode, text: await firstBytes(answer.body, mostBytes) };
    } catch (error) {
      signal.throwIfAborted();
      throw new NoAnswerError(`GET ${url.host}`, error);
    }
  }

  #patienceMs(): number {
    return Math.max(0, Math.min(this.#options.answerTimeoutMs ?? ANSWER_TIMEOUT_MS, this.timeLeftMs()));
  }

  /** Drops every open socket, so that the process can end. */
  async close(): Promise<void> {
    await this.#way.close();
  }

  async #send(outgoing: Outgoing, signal: AbortSignal): Promise<RawAnswer> {
    const url = new URL(this.#options.baseUrl.replace(/\/+$/, "") + outgoing.path);
    for (const [name, value] of Object.entries(outgoing.query)) url.searchParams.set(name, value);
    const headers: Record<string, string> = {
      authorization: `Bearer ${this.#options.apiKey}`,
      accept: "application/json",
    };
    if (outgoing.body !== undefined) headers["content-type"] = "application/json";
    const body = outgoing.body === undefined ? null : JSON.stringify(outgoing.body);
    const answer = await this.#way.send(url, { method: outgoing.method, headers, body, signal });
    const text = await answer.body.text();
    const { "retry-after": retryAfter, location } = answer.headers;
    const told = { retryAfter: retryAfter?.toString(), location: location?.toString() };
    return { status: answer.statusCode, text, json: parseJson(text), ...told };
  }
}

/** A body's beginning, in whole lines. The rest is never read: that closes the connection. */
async function firstBytes(body: AsyncIterable<Buffer>, most: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > most) break;
  }
  const text = Buffer.concat(chunks).subarray(0, most).toString();
  // Half a line could be half a secret, which nobody would know again.
  return bytes > most && text.includes("\n") ? text.slice(0, text.lastIndexOf("\n")) : text;
}
