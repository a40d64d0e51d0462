import { type Dispatcher, EnvHttpProxyAgent, request } from "undici";
import type { Clock } from "../time/clock.ts";
import type { RawAnswer } from "./judge-status.ts";
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
}

const ANSWER_TIMEOUT_MS = 30_000;
/** The service counts from arrival to arrival, and the first request of a connection travels longer than the next one. */
const INTERVAL_MARGIN_MS = 500;

/** One way to the service: sends a request and brings back the answer as it came, whatever its status. */
export class Connection {
  readonly #options: ConnectionOptions;
  // Follows no redirect: a key must not travel to another host. Proxies as the environment says.
  readonly #agent = new EnvHttpProxyAgent();
  readonly #lastSent = new Map<string, number>();

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  /** Sends once. Throws NoAnswerError when no whole answer came, and the signal's reason when it aborted. */
  async exchange(outgoing: Outgoing, signal?: AbortSignal): Promise<RawAnswer> {
    await this.#keepDistance(outgoing, signal);
    const timeout = AbortSignal.timeout(this.#patienceMs());
    try {
      return await this.#send(outgoing, signal ? AbortSignal.any([signal, timeout]) : timeout);
    } catch (error) {
      signal?.throwIfAborted();
      throw new NoAnswerError(outgoing.operation, error);
    }
  }

  #patienceMs(): number {
    const { answerTimeoutMs = ANSWER_TIMEOUT_MS, clock, until = Number.POSITIVE_INFINITY } = this.#options;
    return Math.max(0, Math.min(answerTimeoutMs, until - clock.now()));
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
    const text = await answer.body.text();
    const retryAfter = answer.headers["retry-after"];
    return { status: answer.statusCode, text, json: parseJson(text), retryAfter: retryAfter?.toString() };
  }

  /** Keeps the service's minimum interval between calls of one operation: a 429 costs more than the wait. */
  async #keepDistance(outgoing: Outgoing, signal?: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const now = clock.now();
    const interval = outgoing.intervalMs === 0 ? 0 : outgoing.intervalMs + INTERVAL_MARGIN_MS;
    const free = (this.#lastSent.get(outgoing.operation) ?? Number.NEGATIVE_INFINITY) + interval;
    const at = Math.max(now, free);
    this.#lastSent.set(outgoing.operation, at);
    if (at > now) await clock.sleep(at - now, signal);
  }
}
