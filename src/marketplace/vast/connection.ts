import { pauseMs } from "../../shared/backoff.ts";
import type { Clock } from "../../shared/clock.ts";
import { HttpClient, loadHttp, type ProxySettings } from "../../shared/http-client.ts";
import { parseJson } from "../../shared/json.ts";
import { NoAnswerError } from "../errors.ts";
import type { CreateSignals } from "../marketplace.ts";
import type { Endpoint, ServiceRequest } from "./endpoints.ts";
import { type RawAnswer, tooFastWait } from "./refusals.ts";

/** A request, with the operation whose pace it keeps. */
export type Outgoing = ServiceRequest &
  Pick<Endpoint<never, unknown>, "operation" | "intervalMs" | "answersWithinMs" | "waitsLong">;

/** How to reach the service, and how long to wait for it. */
export interface ConnectionOptions {
  baseUrl: string;
  apiKey: string;
  clock: Clock;
  /** How long one answer may take, headers and body, in milliseconds. */
  answerTimeoutMs?: number;
  /** The end of all waiting for answers, in milliseconds since the epoch. */
  until?: number | undefined;
  /** Proxies for other hosts than this one. */
  proxy?: ProxySettings | undefined;
}

const SERVICE_ANSWERS_WITHIN_MS = 30_000;
/** The longest answer that is read. The longest seen is the unpaged list of all instances, some 30 KB for each. */
const MOST_ANSWER_BYTES = 32_000_000;

/** Sends requests to the service and returns each answer as it came, whatever its status. */
export class Connection {
  readonly #options: ConnectionOptions;
  readonly #http: HttpClient;
  readonly #pace: ServicePace;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#pace = new ServicePace(options.clock);
    const { hostname } = new URL(options.baseUrl);
    this.#http = new HttpClient({ hostname, proxy: options.proxy, mostBytes: MOST_ANSWER_BYTES });
  }

  /** True if the service is on this very machine. */
  get isLocal(): boolean {
    return this.#http.isLocal;
  }

  /** The end of all waiting, in milliseconds since the epoch. */
  get until(): number {
    return this.#options.until ?? Number.POSITIVE_INFINITY;
  }

  /** Sends a request once. Throws NoAnswerError if no whole answer comes, the signal's reason on an abort. */
  async exchange(outgoing: Outgoing, signals: CreateSignals = {}): Promise<RawAnswer> {
    const { answersWithinMs = Number.POSITIVE_INFINITY, operation, intervalMs } = outgoing;
    const { answerTimeoutMs = SERVICE_ANSWERS_WITHIN_MS, clock } = this.#options;
    await loadHttp();
    await this.#pace.turn(operation, { intervalMs, until: this.until, signal: signals.before });
    signals.before?.throwIfAborted();
    signals.onSend?.();
    const patienceMs = Math.min(answerTimeoutMs, answersWithinMs, this.until - clock.now());
    const timeout = AbortSignal.timeout(Math.max(0, patienceMs));
    try {
      const answer = await this.#send(outgoing, signals.way ? AbortSignal.any([signals.way, timeout]) : timeout);
      this.#pace.note(operation, tooFastWait(answer, outgoing));
      return answer;
    } catch (error) {
      signals.way?.throwIfAborted();
      throw new NoAnswerError(operation, error);
    }
  }

  /** Fetches the first bytes from an address that is not the API, without the key, and reads no more. */
  async fetchText(url: URL, mostBytes: number, signal: AbortSignal): Promise<{ status: number; text: string }> {
    try {
      const answer = await this.#http.send(url, { method: "GET", signal });
      return { status: answer.statusCode, text: await firstBytes(answer.body, mostBytes) };
    } catch (error) {
      signal.throwIfAborted();
      throw new NoAnswerError(`GET ${url.host}`, error);
    }
  }

  /** Drops every open socket, so that the process can end. */
  async close(): Promise<void> {
    await this.#http.close();
  }

  async #send({ method, path, query = {}, body }: Outgoing, signal: AbortSignal): Promise<RawAnswer> {
    const url = new URL(this.#options.baseUrl.replace(/\/+$/, "") + path);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const headers: Record<string, string> = {
      authorization: `Bearer ${this.#options.apiKey}`,
      accept: "application/json",
      ...(body !== undefined && { "content-type": "application/json" }),
    };
    const sent = body === undefined ? null : JSON.stringify(body);
    const answer = await this.#http.send(url, { method, headers, body: sent, signal });
    const text = await answer.body.text();
    const header = (name: string) => answer.headers[name]?.toString();
    const [retryAfter, quotaReset] = [header("retry-after"), header("x-ratelimit-reset")];
    const heads = { retryAfter, quotaReset, date: header("date"), location: header("location") };
    return { status: answer.statusCode, text, json: parseJson(text), ...heads };
  }
}

/** Reads the beginning of a body, in whole lines. Leaving the rest unread closes the connection. */
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

/** What is added to an interval: the service measures it between arrivals, and a connection's first request travels longer. */
const INTERVAL_MARGIN_MS = 500;
const SHORTEST_PAUSE_MS = 1000;
/** What grew to this is at most 30 s with its jitter. */
const LONGEST_GROWN_MS = 23_000;
const LONGEST_PAUSE_MS = 30_000;
/** How far apart clients come back that were all asked to wait for longer. */
const JITTER_OF_LONG_MS = 9000;

/** Computes a pause that doubles each time, from 1 to 30 s. If `first` is more, it is some seconds more than that. */
export function growing(first: number, times: number): number {
  if (first > LONGEST_PAUSE_MS) return Math.round(first + Math.random() * JITTER_OF_LONG_MS);
  const growth = { firstMs: Math.max(SHORTEST_PAUSE_MS, first), by: 2, mostMs: LONGEST_GROWN_MS };
  return Math.min(LONGEST_PAUSE_MS, pauseMs(growth, times, Math.random()));
}

/** The calls of one operation. */
interface Lane {
  /** When the next call may leave, in milliseconds since the epoch. */
  freeAt: number;
  /** How many 429 came in a row. */
  refusals: number;
  /** Resolves when the last call in the queue has had its turn. */
  last: Promise<void>;
}

/** Makes the calls of each operation keep the service's minimum interval: a 429 costs more time than the wait. */
export class ServicePace {
  readonly #clock: Clock;
  readonly #lanes = new Map<string, Lane>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Waits until the next call may leave. At `until`, since the epoch, it leaves early: the service decides then. */
  async turn(
    operation: string,
    { intervalMs, until, signal }: { intervalMs: number; until: number; signal?: AbortSignal | undefined },
  ): Promise<void> {
    const lane = this.#lane(operation);
    const before = lane.last;
    const { promise, resolve: end } = Promise.withResolvers<void>();
    lane.last = promise;
    const waitMs = () => Math.min(lane.freeAt, until) - this.#clock.now();
    try {
      await before;
      // Again after each sleep: an answer that came meanwhile may have moved it.
      while (waitMs() >= 1) await this.#clock.sleep(waitMs(), signal);
      lane.freeAt = this.#clock.now() + (intervalMs === 0 ? 0 : intervalMs + INTERVAL_MARGIN_MS);
    } finally {
      end();
    }
  }

  /** Notes an answer. Each further 429 keeps all calls of the operation back for longer. */
  note(operation: string, tooFast: { waitMs: number } | undefined): void {
    const lane = this.#lane(operation);
    lane.refusals = tooFast === undefined ? 0 : lane.refusals + 1;
    if (tooFast) lane.freeAt = Math.max(lane.freeAt, this.#clock.now() + growing(tooFast.waitMs, lane.refusals));
  }

  #lane(operation: string): Lane {
    const lane = this.#lanes.get(operation) ?? { freeAt: 0, refusals: 0, last: Promise.resolve() };
    this.#lanes.set(operation, lane);
    return lane;
  }
}
