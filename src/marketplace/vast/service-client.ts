import type { Clock } from "../../shared/clock.ts";
import { withoutSecrets } from "../../shared/foreign-text.ts";
import { isLoopback } from "../../shared/http-client.ts";
import { poll } from "../../shared/poll.ts";
import { withRetry } from "../../shared/retry.ts";
import { isPassing } from "../../shared/user-error.ts";
import { NoAnswerError, NotFoundError, UnexpectedAnswerError } from "../errors.ts";
import type { CallOptions, CreateSignals } from "../marketplace.ts";
import { Connection, type ConnectionOptions, growing } from "./connection.ts";
import { ENDPOINTS, type Endpoint, type InstancePage } from "./endpoints.ts";
import { answerError, type RawAnswer, saysNo } from "./refusals.ts";
import type { InstanceConfig, WireLogRequest } from "./requests.ts";
import { type ApiKey, createAnswerSchema, type WireInstance } from "./schemas.ts";

/** How to reach the service. */
export interface ServiceClientOptions extends ConnectionOptions {
  /** Called with every secret that an answer carries, before anything can print it. */
  mask?: (secret: string) => void;
  /** How long a read is retried after a passing fault, if its caller gives no limit, in milliseconds (45 s). */
  patienceMs?: number;
}

/** A client's method for one operation: takes the operation's arguments, then the limits of the call. */
type Method<Args extends readonly unknown[], Answer> = (
  ...given: [...args: Args, options?: CallOptions]
) => Promise<Answer>;

const PATIENCE_MS = 45_000;
const LOGS_WITHIN_MS = 5000;
/** Labels have ten digits for the seconds of a date. */
const LATEST_DATE_MS = 9_000_000_000_000;

/**
 * The client of the rental service for what renting takes; AccountClient has the rest. Calls of one operation keep the
 * service's interval, reads are retried after a passing fault. Methods throw ServiceError, NoAnswerError or
 * UnexpectedAnswerError.
 */
export class ServiceClient implements AsyncDisposable {
  readonly #connection: Connection;
  readonly #options: ServiceClientOptions;
  /** Whether the service has the paged list. `none`: it answered that it has not. */
  #pages: "unknown" | "seen" | "none" = "unknown";
  #aheadMs: number | undefined;

  /** Tests give a connection of their own. */
  constructor(options: ServiceClientOptions, connection: Connection = new Connection(options)) {
    this.#connection = connection;
    this.#options = options;
  }

  /** Lists offers in the service's order. The service does not always apply every filter: check them again. */
  readonly searchOffers = methodOf(this, ENDPOINTS.searchOffers);

  /** Looks at one instance. Returns undefined if the service says that there is none (null, or 404 in JSON). */
  readonly getInstance = methodOf(this, ENDPOINTS.getInstance);

  /** Asks once to destroy an instance, which is not gone then. `absent`: the service says there is none. */
  readonly destroyInstance = methodOf(this, ENDPOINTS.destroyInstance);

  /** Shows the account behind the key. */
  readonly currentUser = methodOf(this, ENDPOINTS.currentUser);

  /** Lists the templates for which all filters hold; without a filter, all visible ones. */
  readonly searchTemplates = methodOf(this, ENDPOINTS.searchTemplates);

  /** Lists the account's volumes. A service that keeps to the specification has none and answers NotFoundError. */
  readonly listVolumes = methodOf(this, ENDPOINTS.listVolumes);

  /** How far the service's clock is ahead of ours, by the date of its last list that had one that can be read. */
  get aheadMs(): number | undefined {
    return this.#aheadMs;
  }

  /** Calls an operation that has no method of its own. Retries it after a passing fault if it is repeatable. */
  async call<Args extends readonly unknown[], Answer>(
    endpoint: Endpoint<Args, Answer>,
    args: Args,
    options: CallOptions = {},
  ): Promise<Answer> {
    const { signal, until } = options instanceof AbortSignal ? { signal: options } : options;
    const { clock, patienceMs = PATIENCE_MS } = this.#options;
    const send = async () => {
      const request = endpoint.request(...args);
      const raw = await this.#connection.exchange({ ...endpoint, ...request }, { before: signal, way: signal });
      const unwrapped = unwrap(endpoint, `${request.method} ${request.path}`, raw);
      const at = endpoint.operation === ENDPOINTS.listInstances.operation ? Date.parse(raw.date ?? "") : 0;
      // A date that no label could carry is none.
      if (at > 0 && at < LATEST_DATE_MS) this.#aheadMs = at - clock.now();
      return unwrapped;
    };
    const last = Math.min(until ?? clock.now() + patienceMs, this.#connection.until);
    const pauseAfter = (error: unknown, attempt: number) =>
      isPassing(error) ? growing(error.waitMs, attempt) : undefined;
    const retrying = { clock, signal, until: last, pauseAfter };
    const sent = endpoint.isRepeated ? withRetry(send, retrying) : send();
    const answer = await (endpoint.refused ? sent.catch(endpoint.refused) : sent);
    const secret = endpoint.secret?.(answer);
    if (secret !== undefined) this.#options.mask?.(secret);
    return answer;
  }

  /**
   * Rents a machine and returns the raw answer. After NoAnswerError, a 5xx or an unreadable answer an instance may
   * exist. Only `signals.way` cuts a call that is under way.
   */
  async createInstance(offerId: number, config: InstanceConfig, signals: CreateSignals = {}): Promise<RawAnswer> {
    const { createInstance } = ENDPOINTS;
    const answer = await this.#connection.exchange(
      { ...createInstance, ...createInstance.request(offerId, config) },
      signals,
    );
    const instanceApiKey = createAnswerSchema.safeParse(answer.json).data?.instance_api_key;
    if (instanceApiKey) this.#options.mask?.(instanceApiKey);
    return answer;
  }

  /** Lists all instances of the account. A label only saves pages, if the service can filter: check the labels. */
  async listInstances(options?: CallOptions, label?: string): Promise<WireInstance[]> {
    let hasNone = this.#pages === "none";
    if (!hasNone) {
      try {
        const listed = await this.#listPages(label, options);
        this.#pages = "seen";
        return listed;
      } catch (error) {
        if (!(error instanceof NotFoundError)) throw error;
        // A gateway's 404 is no reason to stay with a list that is on its way out.
        hasNone = this.#pages === "unknown" && error.refusal.ownWord;
      }
    }
    const { instances } = await this.call(ENDPOINTS.listInstancesSeed, [], options);
    if (hasNone) this.#pages = "none";
    return instances;
  }

  /** Looks at a key, without its secret; `permissionsOf` reads what it may do. Not in the specification. */
  async getApiKey(id: number, options?: CallOptions): Promise<ApiKey> {
    const answer = await this.call(ENDPOINTS.getApiKey, [id], options);
    if (typeof answer !== "string") return answer;
    // One description of the service has the bare key for an answer.
    this.#options.mask?.(answer);
    return { id, permissions: undefined, rights: undefined };
  }

  /** Fetches a log's last lines, at most 64 KB, within 5 s. By the specification there are none: NotFoundError. */
  async requestLogs(request: WireLogRequest, signal?: AbortSignal): Promise<string> {
    const limit = AbortSignal.timeout(LOGS_WITHIN_MS);
    const { clock } = this.#options;
    const until = clock.now() + LOGS_WITHIN_MS;
    const either = signal ? AbortSignal.any([signal, limit]) : limit;
    try {
      const address = await this.call(ENDPOINTS.requestLogs, [request], either);
      const fetching = { connection: this.#connection, clock, until, signal: either };
      return withoutSecrets(await fetchLogFile(address, fetching));
    } catch (error) {
      signal?.throwIfAborted();
      throw limit.aborted ? new NoAnswerError(ENDPOINTS.requestLogs.operation, new Error("time is over")) : error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#connection.close();
  }

  async #listPages(label: string | undefined, options?: CallOptions): Promise<WireInstance[]> {
    const { listInstances } = ENDPOINTS;
    const found = new Map<number, WireInstance>();
    const seen = new Set<string | undefined>();
    let afterToken: string | undefined;
    let total: number | undefined;
    do {
      const page: InstancePage = await this.call(listInstances, [{ afterToken, label }], options);
      for (const instance of page.instances) found.set(instance.id, instance);
      total = page.total_instances;
      afterToken = page.next_token || undefined;
      // A service that repeats a page must not keep us here for ever, nor an incomplete list pass as whole.
      if (seen.has(afterToken)) throw new UnexpectedAnswerError(listInstances.operation, "the list repeats a page");
      seen.add(afterToken);
    } while (afterToken !== undefined);
    // SPEC-SILENT: whether the total of a list by label counts the others, too.
    if (label === undefined && total !== undefined && found.size < total)
      throw new UnexpectedAnswerError(listInstances.operation, "total_instances: the list has fewer instances");
    return [...found.values()];
  }
}

/** Makes a client's method for an operation. */
export function methodOf<Args extends readonly unknown[], Answer>(
  client: Pick<ServiceClient, "call">,
  endpoint: Endpoint<Args, Answer>,
): Method<Args, Answer> {
  const count = endpoint.request.length;
  return (...given) => client.call(endpoint, given.slice(0, count) as unknown as Args, given[count] as CallOptions);
}

/** Unwraps an answer. Throws the error of its refusal, or UnexpectedAnswerError if it can't be read. */
function unwrap<Answer>(endpoint: Endpoint<never, Answer>, route: string, answer: RawAnswer): Answer {
  if (answer.status < 200 || answer.status > 299 || saysNo(answer)) throw answerError(answer, { ...endpoint, route });
  const { data, error, success } = endpoint.answer.safeParse(answer.json);
  if (success) return data;
  const [{ message = "unknown shape", path = [] } = {}] = error.issues;
  throw new UnexpectedAnswerError(endpoint.operation, [path.map(String).join("."), message].filter(Boolean).join(": "));
}

const MOST_LOG_BYTES = 65_536;
/** The pause between two looks for a log's file, in milliseconds: that of the service's own client. */
const BETWEEN_LOG_LOOKS_MS = 300;

/** What fetching takes. `until`: milliseconds since the epoch. */
interface Fetching {
  connection: Connection;
  clock: Clock;
  until: number;
  signal: AbortSignal;
}

/**
 * Polls an address until its file is there, for the first 64 KB, without key or redirect. Throws NoAnswerError when
 * time is over, UnexpectedAnswerError where it is not https; on this machine only if the service is.
 */
export async function fetchLogFile(address: string, { connection, clock, until, signal }: Fetching): Promise<string> {
  const url = safeAddress(address, connection.isLocal);
  let last: number | undefined;
  const look = async () => {
    const { status, text } = await connection.fetchText(url, MOST_LOG_BYTES, signal);
    if (status >= 300 && status < 400) throw unexpected("its file is somewhere else");
    last = status;
    return status === 200 ? text : undefined;
  };
  const text = await poll(look, { clock, intervalMs: BETWEEN_LOG_LOOKS_MS, until, signal });
  if (text !== undefined) return text;
  throw new NoAnswerError(ENDPOINTS.requestLogs.operation, new Error(`its file is not there in time, ${last}`));
}

/** Checks the address of a log's file. A service elsewhere must not make us ask this machine's own ports. */
function safeAddress(address: string, isLocal: boolean): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined) throw unexpected("result_url is no address");
  const isSafe = isLoopback(url.hostname) ? isLocal : url.protocol === "https:";
  if (!isSafe || !/^https?:$/.test(url.protocol)) throw unexpected("result_url is not an https address");
  return url;
}

function unexpected(what: string): UnexpectedAnswerError {
  return new UnexpectedAnswerError(ENDPOINTS.requestLogs.operation, what);
}
