import { NoAnswerError, NotFoundError, RequestRejectedError, UnexpectedAnswerError } from "../marketplace/errors.ts";
import type { CallOptions, FieldFilter } from "../marketplace/marketplace.ts";
import type { Clock } from "../shared/clock.ts";
import { isLoopback } from "../shared/http-client.ts";
import { poll } from "../shared/poll.ts";
import { type ContextOf, call, contextOf, exchange } from "./call.ts";
import { type CallSignals, Connection, type ConnectionOptions } from "./connection.ts";
import { ENDPOINTS, type InstancePage } from "./endpoints.ts";
import type { RawAnswer } from "./refusals.ts";
import type { InstanceConfig, LogRequest, OfferQuery, TemplateFilters } from "./requests.ts";
import {
  type ApiKey,
  createAnswerSchema,
  type Instance,
  type Offer,
  type Template,
  type User,
  type Volume,
  type VolumeOffer,
} from "./schemas.ts";

/** How to reach the service. */
export interface ServiceClientOptions extends ConnectionOptions {
  /** Told every secret that an answer carries, before anything can print it. */
  mask?: (secret: string) => void;
  /**
   * How long a read is retried after a passing fault, in milliseconds, if its caller gives no
   * limit. Default 45 s.
   */
  patienceMs?: number;
}

const LOGS_WITHIN_MS = 5000;

/**
 * The client of the rental service for what renting takes, one method for each operation;
 * AccountClient has the rest. Calls of one operation keep the service's minimum interval. Reads are
 * retried after a passing fault, within their limits. Every method throws a ServiceError,
 * NoAnswerError or UnexpectedAnswerError.
 */
export class ServiceClient implements AsyncDisposable {
  readonly #connection: Connection;
  readonly #clock: Clock;
  readonly #mask: (secret: string) => void;
  readonly #context: ContextOf;
  /** Whether the service has the paged list. `none`: it answered that it has not. */
  #pages: "unknown" | "seen" | "none" = "unknown";

  /** Tests give a connection of their own. */
  constructor(options: ServiceClientOptions, connection: Connection = new Connection(options)) {
    this.#connection = connection;
    this.#clock = options.clock;
    this.#mask = options.mask ?? (() => {});
    this.#context = contextOf(options, connection);
  }

  /** Lists offers in the service's order. The service does not always apply every filter: check them again. */
  searchOffers(query: OfferQuery, options?: CallOptions): Promise<Offer[]> {
    return call(ENDPOINTS.searchOffers, query, this.#context(options));
  }

  /**
   * Rents a machine and returns the raw answer, because refusals carry meaning here. Throws only
   * NoAnswerError. After that error, a 5xx or an unreadable answer an instance may exist. Only
   * `signals.way` cuts a call that is under way.
   */
  async createInstance(offerId: number, config: InstanceConfig, signals: CallSignals = {}): Promise<RawAnswer> {
    const answer = await exchange(ENDPOINTS.createInstance, { offerId, config }, this.#connection, signals);
    const instanceApiKey = createAnswerSchema.safeParse(answer.json).data?.instance_api_key;
    if (instanceApiKey) this.#mask(instanceApiKey);
    return answer;
  }

  /**
   * Lists all instances of the account, other people's runs included. A label only saves pages, if
   * the service can filter: check the labels again.
   */
  async listInstances(options?: CallOptions, label?: string): Promise<Instance[]> {
    let hasNone = this.#pages === "none";
    if (!hasNone) {
      try {
        const listed = await this.#listPages(label, options);
        this.#pages = "seen";
        return listed;
      } catch (error) {
        if (!(error instanceof NotFoundError)) throw error;
        // A gateway's 404 is no reason to stay with a list that is on its way out.
        hasNone = this.#pages === "unknown" && error.isOwnWord;
      }
    }
    const { instances } = await call(ENDPOINTS.listInstancesSeed, undefined, this.#context(options));
    if (hasNone) this.#pages = "none";
    return instances;
  }

  /** Looks at one instance. Returns undefined if the service says that there is none (null, or 404 in JSON). */
  getInstance(id: number, options?: CallOptions): Promise<Instance | undefined> {
    return call(ENDPOINTS.getInstance, id, this.#context(options)).catch(undefinedWhenNotFound);
  }

  /**
   * Asks once to destroy an instance. `absent` means that the service says there is none (404 in
   * JSON). `asked` does not mean that the instance is gone already.
   */
  async destroyInstance(id: number, options?: CallOptions): Promise<"asked" | "absent"> {
    const asked = await call(ENDPOINTS.destroyInstance, id, this.#context(options)).catch(undefinedWhenNotFound);
    return asked ? "asked" : "absent";
  }

  /** The account behind the key. */
  currentUser(options?: CallOptions): Promise<User> {
    return call(ENDPOINTS.currentUser, undefined, this.#context(options));
  }

  /**
   * Lists the templates for which all filters hold; without a filter, all visible ones. There is no
   * search by free text.
   */
  searchTemplates(filters: TemplateFilters = {}, options?: CallOptions): Promise<Template[]> {
    return call(ENDPOINTS.searchTemplates, filters, this.#context(options)).catch(noneWhenNoneFound);
  }

  /**
   * Looks at one of the account's keys, without its secret; `permissionsOf` reads what it may do.
   * Not in the specification.
   */
  async getApiKey(id: number, options?: CallOptions): Promise<ApiKey> {
    const answer = await call(ENDPOINTS.getApiKey, id, this.#context(options));
    if (typeof answer !== "string") return answer;
    // One description of the service has the bare key for an answer.
    this.#mask(answer);
    return { id, permissions: undefined, rights: undefined };
  }

  /** Lists the account's volumes. A service that keeps to the specification has none and answers NotFoundError. */
  listVolumes(options?: CallOptions): Promise<Volume[]> {
    return call(ENDPOINTS.listVolumes, undefined, this.#context(options));
  }

  /**
   * Lists offers of room for volumes that meet all filters. A service that keeps to the
   * specification has none and answers NotFoundError.
   */
  searchVolumes(filters: Readonly<Record<string, FieldFilter>>, options?: CallOptions): Promise<VolumeOffer[]> {
    return call(ENDPOINTS.searchVolumes, filters, this.#context(options));
  }

  /**
   * Fetches the last lines of an instance's log, at most 64 KB, within 5 s. A service that keeps to
   * the specification has no logs and answers NotFoundError.
   */
  async requestLogs(request: LogRequest, signal?: AbortSignal): Promise<string> {
    const limit = AbortSignal.timeout(LOGS_WITHIN_MS);
    const until = this.#clock.now() + LOGS_WITHIN_MS;
    const either = signal ? AbortSignal.any([signal, limit]) : limit;
    try {
      const address = await call(ENDPOINTS.requestLogs, request, this.#context(either));
      const fetching = { connection: this.#connection, clock: this.#clock, until, signal: either };
      return await fetchLogFile(address, fetching);
    } catch (error) {
      signal?.throwIfAborted();
      throw limit.aborted ? new NoAnswerError(ENDPOINTS.requestLogs.operation, new Error("time is over")) : error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#connection.close();
  }

  async #listPages(label: string | undefined, options?: CallOptions): Promise<Instance[]> {
    const found = new Map<number, Instance>();
    const seen = new Set<string>();
    let afterToken: string | undefined;
    let total: number | undefined;
    do {
      const page: InstancePage = await call(ENDPOINTS.listInstances, { afterToken, label }, this.#context(options));
      for (const instance of page.instances) found.set(instance.id, instance);
      total = page.total;
      afterToken = page.nextToken;
      // Without this, a service that repeats a page would keep us here for ever; an incomplete list
      // must not pass as whole.
      if (afterToken !== undefined && seen.has(afterToken)) {
        throw new UnexpectedAnswerError(ENDPOINTS.listInstances.operation, "the list repeats a page");
      }
      if (afterToken !== undefined) seen.add(afterToken);
    } while (afterToken !== undefined);
    // SPEC-SILENT: whether the total of a list by label counts the others, too.
    if (label === undefined && total !== undefined && found.size < total) {
      throw new UnexpectedAnswerError(
        ENDPOINTS.listInstances.operation,
        "total_instances: the list has fewer instances",
      );
    }
    return [...found.values()];
  }
}

function undefinedWhenNotFound(error: unknown): undefined {
  if (error instanceof NotFoundError && error.isOwnWord) return undefined;
  throw error;
}

/** Reads the documented refusal `{success: false, msg: "No templates found"}` as an empty list. */
function noneWhenNoneFound(error: unknown): [] {
  const isRefusal = error instanceof RequestRejectedError && error.status === 200;
  if (isRefusal && /no templates found/i.test(error.sentence)) return [];
  throw error;
}

const MOST_BYTES = 65_536;
/** The service's own client looks as often. */
const PAUSE_MS = 300;

/** What fetching takes. `until`: milliseconds since the epoch. */
interface Fetching {
  connection: Connection;
  clock: Clock;
  until: number;
  signal: AbortSignal;
}

/**
 * Polls the address until the file is there, and returns its first 64 KB. Sends no key and follows
 * no redirect. Throws NoAnswerError when time is over, UnexpectedAnswerError for an address that is
 * not https; one on this machine is allowed only if the service is there, too.
 */
export async function fetchLogFile(address: string, { connection, clock, until, signal }: Fetching): Promise<string> {
  const url = safeAddress(address, connection.isLocal);
  let last: number | undefined;
  const look = async () => {
    const { status, text } = await connection.fetchText(url, MOST_BYTES, signal);
    if (status >= 300 && status < 400) throw unexpected("its file is somewhere else");
    last = status;
    return status === 200 ? text : undefined;
  };
  const text = await poll(look, { clock, intervalMs: PAUSE_MS, until, signal });
  if (text !== undefined) return text;
  throw new NoAnswerError(ENDPOINTS.requestLogs.operation, new Error(`its file is not there in time, ${last}`));
}

function safeAddress(address: string, isLocal: boolean): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined) throw unexpected("result_url is no address");
  // A service elsewhere must not make us ask this machine's own ports.
  const isSafe = isLoopback(url.hostname) ? isLocal : url.protocol === "https:";
  if (!isSafe || !/^https?:$/.test(url.protocol)) throw unexpected("result_url is not an https address");
  return url;
}

function unexpected(what: string): UnexpectedAnswerError {
  return new UnexpectedAnswerError(ENDPOINTS.requestLogs.operation, what);
}
