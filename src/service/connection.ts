import { Agent, type Dispatcher, EnvHttpProxyAgent, request } from "undici";
import type { Clock } from "../time/clock.ts";
import type { RawAnswer } from "./judge-status.ts";
import { isLoopback } from "./loopback.ts";
import { parseJson } from "./parse-json.ts";
import { NoAnswerError } from "./service-errors.ts";

/** One request on its way. */
export interface Outgoing {
  operation: string;
  method: Dispatcher.HttpMethod;
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
  until?: number;
  /** Proxies for other hosts than this one. */
  proxy?: ProxySettings;
}

/** Addresses with their scheme; `noProxy` as the usual variable has it. */
export interface ProxySettings {
  httpProxy?: string;
  httpsProxy?: string;
  noProxy?: string;
}

/** What stops a call: `before` it is sent, and while it is under `way`. For most calls both are the same. */
export interface CallSignals {
  before?: AbortSignal | undefined;
  way?: AbortSignal | undefined;
  /** Called when its turn has come, right before it is sent. */
  onSend?: (() => void) | undefined;
}

const ANSWER_TIMEOUT_MS = 30_000;
/** The longest seen is the list of all instances without pages, with some 30 KB for each. */
const MOST_ANSWER_BYTES = 32_000_000;
/** The service counts from arrival to arrival, and the first request of a connection travels longer than the next one. */
const INTERVAL_MARGIN_MS = 500;

/** One way to the service: sends a request and brings back the answer as it came, whatever its status. */
export class Connection {
  readonly #options: ConnectionOptions;
  // Follows no redirect: a key must not travel to another host.
  readonly #agent: Dispatcher;
  /** True when the service is on this very machine. */
  readonly isLocal: boolean;
  readonly #lastSent = new Map<string, number>();

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.isLocal = isLoopback(new URL(options.baseUrl).hostname);
    // A key for this very machine must not pass a proxy in the clear.
    this.#agent = this.isLocal || !options.proxy ? new Agent() : new EnvHttpProxyAgent(options.proxy);
  }

  /** How long there is still something to wait for, in milliseconds. */
  timeLeftMs(): number {
    return (this.#options.until ?? Number.POSITIVE_INFINITY) - this.#options.clock.now();
  }

  /** Sends once. Throws NoAnswerError when no whole answer came, and the signal's reason when it aborted. */
  async exchange(outgoing: Outgoing, signals: CallSignals = {}): Promise<RawAnswer> {
    await this.#keepDistance(outgoing, signals.before);
    signals.before?.throwIfAborted();
    signals.onSend?.();
    const timeout = AbortSignal.timeout(this.#patienceMs());
    try {
      return await this.#send(outgoing, signals.way ? AbortSignal.any([signals.way, timeout]) : timeout);
    } catch (error) {
      signals.way?.throwIfAborted();
      throw new NoAnswerError(outgoing.operation, error);
    }
  }

  /** Asks an address that is not the service's interface: without the key. Brings the first bytes of the answer, and reads no more. */
  async fetchText(url: URL, mostBytes: number, signal: AbortSignal): Promise<{ status: number; text: string }> {
    try {
      const answer = await request(url, { method: "GET", signal, dispatcher: this.#agent });
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
    await this.#agent.destroy();
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
    const answer = await request(url, { method: outgoing.method, headers, body, signal, dispatcher: this.#agent });
    const text = await wholeText(answer.body);
    const retryAfter = answer.headers["retry-after"];
    return { status: answer.statusCode, text, json: parseJson(text), retryAfter: retryAfter?.toString() };
  }

  /** Keeps the service's minimum interval between calls of one operation: a 429 costs more than the wait. */
  async #keepDistance(outgoing: Outgoing, signal?: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const now = clock.now();
    const interval = outgoing.intervalMs === 0 ? 0 : outgoing.intervalMs + INTERVAL_MARGIN_MS;
    const free = (this.#lastSent.get(outgoing.operation) ?? Number.NEGATIVE_INFINITY) + interval;
    const at = Math.max(now, Math.min(free, now + this.timeLeftMs()));
    this.#lastSent.set(outgoing.operation, at);
    if (at > now) await clock.sleep(at - now, signal);
  }
}

/** Throws for a body that is too long to be an answer: nothing bounds it otherwise but our memory. */
async function wholeText(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > MOST_ANSWER_BYTES) throw new Error("the answer is longer than 32 MB");
  }
  return Buffer.concat(chunks).toString();
}

/** The beginning of a body, in whole lines. The rest is never read: breaking off closes the connection. */
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
