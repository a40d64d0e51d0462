import type { Clock } from "../shared/clock.ts";
import { type CallOptions, type ContextOf, call, contextOf, exchange } from "./call.ts";
import { type CallSignals, Connection, type ConnectionOptions } from "./connection.ts";
import { createAnswerSchema, createInstance } from "./endpoints/create-instance.ts";
import { currentUser } from "./endpoints/current-user.ts";
import { destroyInstanceCall } from "./endpoints/destroy-instance.ts";
import { getApiKey } from "./endpoints/get-api-key.ts";
import { getInstance } from "./endpoints/get-instance.ts";
import { type InstancePage, listInstancesPage, listInstancesSeed } from "./endpoints/list-instances.ts";
import { listVolumes } from "./endpoints/list-volumes.ts";
import { type LogRequest, requestLogs } from "./endpoints/request-logs.ts";
import { searchOffers } from "./endpoints/search-offers.ts";
import { searchTemplates } from "./endpoints/search-templates.ts";
import { searchVolumes } from "./endpoints/search-volumes.ts";
import { fetchLogFile } from "./fetch-log-file.ts";
import type { RawAnswer } from "./judge-status.ts";
import type { ApiKey } from "./schemas/api-key.ts";
import type { Instance } from "./schemas/instance.ts";
import type { InstanceConfig } from "./schemas/instance-config.ts";
import type { Offer } from "./schemas/offer.ts";
import type { FieldFilter, OfferQuery } from "./schemas/offer-query.ts";
import type { Template, TemplateFilters } from "./schemas/template.ts";
import type { User } from "./schemas/user.ts";
import type { Volume, VolumeOffer } from "./schemas/volume.ts";
import { NoAnswerError, NotFoundError, RequestRejectedError, UnexpectedAnswerError } from "./service-errors.ts";

/** How to reach the service. */
export interface ServiceClientOptions extends ConnectionOptions {
  /** Told every secret that an answer carries, before anything can print it. */
  mask?: (secret: string) => void;
  /**
   * For how long a read is sent again after a passing fault, where its caller does not say until
   * when; in milliseconds, 45 s.
   */
  patienceMs?: number;
}

const LOGS_WITHIN_MS = 5000;

/**
 * The rental service, as far as it takes to rent: one method an operation; AccountClient has the
 * others. Calls of one operation keep the service's interval, in their order; what only reads is
 * sent again after a passing fault, until its limits. Every method throws a ServiceError,
 * NoAnswerError or UnexpectedAnswerError.
 */
export class ServiceClient implements AsyncDisposable {
  readonly #connection: Connection;
  readonly #clock: Clock;
  readonly #mask: (secret: string) => void;
  readonly #context: ContextOf;
  /** `none`: the service has only the list without pages, as it showed. */
  #pages: "unknown" | "seen" | "none" = "unknown";

  /** Tests give a connection of their own. */
  constructor(options: ServiceClientOptions, connection: Connection = new Connection(options)) {
    this.#connection = connection;
    this.#clock = options.clock;
    this.#mask = options.mask ?? (() => {});
    this.#context = contextOf(options, connection);
  }

  /** Offers in the service's order. The service does not always apply every filter: check again. */
  searchOffers(query: OfferQuery, options?: CallOptions): Promise<Offer[]> {
    return call(searchOffers, query, this.#context(options));
  }

  /**
   * Rents, and brings the answer back as it came: refusals carry meaning here. Throws only
   * NoAnswerError; then, and after a 5xx or an unreadable answer, an instance may exist. A call
   * that is under way is cut by `signals.way` alone.
   */
  async createInstance(offerId: number, config: InstanceConfig, signals: CallSignals = {}): Promise<RawAnswer> {
    const answer = await exchange(createInstance, { offerId, config }, this.#connection, signals);
    const instanceApiKey = createAnswerSchema.safeParse(answer.json).data?.instance_api_key;
    if (instanceApiKey) this.#mask(instanceApiKey);
    return answer;
  }

  /**
   * All instances of the account, other people's runs included; with a label only those that carry
   * it, where the service can filter. The filter saves pages: look at the labels again.
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
    const { instances } = await call(listInstancesSeed, undefined, this.#context(options));
    if (hasNone) this.#pages = "none";
    return instances;
  }

  /** One instance, or undefined when the service says that there is none (null, or 404 in JSON). */
  getInstance(id: number, options?: CallOptions): Promise<Instance | undefined> {
    return call(getInstance, id, this.#context(options)).catch(undefinedWhenNotFound);
  }

  /**
   * Asks to destroy an instance, once: `asked`, or `absent` when the service says that there is
   * none (404 in JSON). Says nothing about its being gone already.
   */
  async destroyInstance(id: number, options?: CallOptions): Promise<"asked" | "absent"> {
    const asked = await call(destroyInstanceCall, id, this.#context(options)).catch(undefinedWhenNotFound);
    return asked ? "asked" : "absent";
  }

  /** The account behind the key. */
  currentUser(options?: CallOptions): Promise<User> {
    return call(currentUser, undefined, this.#context(options));
  }

  /** Templates for which all filters hold; without a filter all visible ones. No free text. */
  searchTemplates(filters: TemplateFilters = {}, options?: CallOptions): Promise<Template[]> {
    return call(searchTemplates, filters, this.#context(options)).catch(noneWhenNoneFound);
  }

  /** One of the account's keys, secret left out; see `permissionsOf`. Not in the specification. */
  async getApiKey(id: number, options?: CallOptions): Promise<ApiKey> {
    const answer = await call(getApiKey, id, this.#context(options));
    if (typeof answer !== "string") return answer;
    // One description of the service has the bare key for an answer.
    this.#mask(answer);
    return { id, permissions: undefined, rights: undefined };
  }

  /** The account's volumes. A service of the specification's letter has none: NotFoundError. */
  listVolumes(options?: CallOptions): Promise<Volume[]> {
    return call(listVolumes, undefined, this.#context(options));
  }

  /** Room for volumes that meets all filters. NotFoundError: the service of the seed has none. */
  searchVolumes(filters: Readonly<Record<string, FieldFilter>>, options?: CallOptions): Promise<VolumeOffer[]> {
    return call(searchVolumes, filters, this.#context(options));
  }

  /**
   * The last lines of an instance's log, 64 KB at the most, within 5 s. A service of the
   * specification's letter has none: NotFoundError.
   */
  async requestLogs(request: LogRequest, signal?: AbortSignal): Promise<string> {
    const limit = AbortSignal.timeout(LOGS_WITHIN_MS);
    const until = this.#clock.now() + LOGS_WITHIN_MS;
    const either = signal ? AbortSignal.any([signal, limit]) : limit;
    try {
      const address = await call(requestLogs, request, this.#context(either));
      const fetching = { connection: this.#connection, clock: this.#clock, until, signal: either };
      return await fetchLogFile(address, fetching);
    } catch (error) {
      signal?.throwIfAborted();
      throw limit.aborted ? new NoAnswerError(requestLogs.operation, new Error("time is over")) : error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#connection.close();
  }

  async #listPages(label: string | undefined, options?: CallOptions): Promise<Instance[]> {
    const found = new Map<number, Instance>();
    const seen = new Set<string>();
    let afterToken: string | undefined;
    do {
      const page: InstancePage = await call(listInstancesPage, { afterToken, label }, this.#context(options));
      for (const instance of page.instances) found.set(instance.id, instance);
      afterToken = page.nextToken;
      // Without this, a service that repeats a page would keep us here for ever; an incomplete list
      // must not pass as whole.
      if (afterToken !== undefined && seen.has(afterToken)) {
        throw new UnexpectedAnswerError(listInstancesPage.operation, "the list repeats a page");
      }
      if (afterToken !== undefined) seen.add(afterToken);
    } while (afterToken !== undefined);
    return [...found.values()];
  }
}

function undefinedWhenNotFound(error: unknown): undefined {
  if (error instanceof NotFoundError && error.isOwnWord) return undefined;
  throw error;
}

/** Documented as a "no" in the body: `{success: false, msg: "No templates found"}`. */
function noneWhenNoneFound(error: unknown): [] {
  const isRefusal = error instanceof RequestRejectedError && error.status === 200;
  if (isRefusal && /no templates found/i.test(error.sentence)) return [];
  throw error;
}
