import type { Clock } from "../time/clock.ts";
import { ApiKeys } from "./api-keys.ts";
import { type CallContext, call, exchange, type Limits, limitsOf } from "./call.ts";
import { type CallSignals, Connection, type ConnectionOptions } from "./connection.ts";
import { changeInstance, type InstanceChange } from "./endpoints/change-instance.ts";
import { createAnswerSchema, createInstance } from "./endpoints/create-instance.ts";
import { currentUser } from "./endpoints/current-user.ts";
import { destroyInstance } from "./endpoints/destroy-instance.ts";
import { getInstance } from "./endpoints/get-instance.ts";
import { type InstancePage, listInstancesPage, listInstancesSeed } from "./endpoints/list-instances.ts";
import { type LogRequest, requestLogs } from "./endpoints/request-logs.ts";
import { searchOffers } from "./endpoints/search-offers.ts";
import { fetchLogFile } from "./fetch-log-file.ts";
import type { RawAnswer } from "./judge-status.ts";
import type { Instance } from "./schemas/instance.ts";
import type { InstanceConfig } from "./schemas/instance-config.ts";
import type { Offer } from "./schemas/offer.ts";
import type { OfferQuery } from "./schemas/offer-query.ts";
import type { User } from "./schemas/user.ts";
import { NoAnswerError, NotFoundError, UnexpectedAnswerError } from "./service-errors.ts";
import { SshKeys } from "./ssh-keys.ts";
import { Team } from "./team.ts";
import { Templates } from "./templates.ts";
import { VolumeCalls } from "./volume-calls.ts";

/** How to reach the service. */
export interface ServiceClientOptions extends ConnectionOptions {
  /** Told every secret that an answer carries, before anything can print it. */
  mask?: (secret: string) => void;
  /** For how long a read is sent again after a passing fault, where its caller does not say until when; in milliseconds, 45 s. */
  patienceMs?: number;
}

const PATIENCE_MS = 45_000;

const LOGS_WITHIN_MS = 5000;

/**
 * The rental service, one method an operation. Calls of one operation keep the service's interval, in their order; what only reads is sent again
 * after a passing fault, until its limits. Every method throws a ServiceError, NoAnswerError or UnexpectedAnswerError.
 */
export class ServiceClient implements AsyncDisposable {
  readonly volumes: VolumeCalls;
  readonly #connection: Connection;
  readonly #clock: Clock;
  readonly #patienceMs: number;
  readonly #mask: (secret: string) => void;
  #hasPages = true;
  readonly templates: Templates;
  readonly apiKeys: ApiKeys;
  readonly team: Team;
  readonly sshKeys: SshKeys;

  /** Tests give a connection of their own. */
  constructor(options: ServiceClientOptions, connection: Connection = new Connection(options)) {
    this.#connection = connection;
    this.#clock = options.clock;
    this.#patienceMs = options.patienceMs ?? PATIENCE_MS;
    this.#mask = options.mask ?? (() => {});
    const context = (limits?: Limits) => this.#context(limits);
    this.volumes = new VolumeCalls(context);
    this.templates = new Templates(context);
    this.apiKeys = new ApiKeys(context, this.#mask);
    this.team = new Team(context);
    this.sshKeys = new SshKeys(context);
  }

  /** Offers in the service's order. The service does not always apply every filter: check again. */
  searchOffers(query: OfferQuery, limits?: Limits): Promise<Offer[]> {
    return call(searchOffers, query, this.#context(limits));
  }

  /**
   * Rents, and brings the answer back as it came: refusals carry meaning here. Throws only NoAnswerError; then, and after a 5xx
   * or an unreadable answer, an instance may exist. A call that is under way is cut by `signals.way` alone.
   */
  async createInstance(offerId: number, config: InstanceConfig, signals: CallSignals = {}): Promise<RawAnswer> {
    const answer = await exchange(createInstance, { offerId, config }, this.#connection, signals);
    const instanceApiKey = createAnswerSchema.safeParse(answer.json).data?.instance_api_key;
    if (instanceApiKey) this.#mask(instanceApiKey);
    return answer;
  }

  /**
   * All instances of the account, other people's runs included; with a label only those that carry it, where the service can filter. The
   * filter saves pages: look at the labels again.
   */
  async listInstances(limits?: Limits, label?: string): Promise<Instance[]> {
    if (this.#hasPages) {
      try {
        return await this.#listPages(label, limits);
      } catch (error) {
        if (!(error instanceof NotFoundError)) throw error;
        this.#hasPages = false;
      }
    }
    return (await call(listInstancesSeed, undefined, this.#context(limits))).instances;
  }

  /** One instance, or undefined when the service says that there is none (null, or 404). */
  getInstance(id: number, limits?: Limits): Promise<Instance | undefined> {
    return call(getInstance, id, this.#context(limits)).catch(undefinedWhenNotFound);
  }

  /** Asks to destroy an instance, once: `asked`, or `absent` when there is none. Says nothing about its being gone already. */
  async destroyInstance(id: number, limits?: Limits): Promise<"asked" | "absent"> {
    const asked = await call(destroyInstance, id, this.#context(limits)).catch(undefinedWhenNotFound);
    return asked ? "asked" : "absent";
  }

  /** Stops, starts or renames an instance, once. Throws NotFoundError when there is none. */
  async changeInstance(id: number, change: InstanceChange, limits?: Limits): Promise<void> {
    await call(changeInstance, { id, change }, this.#context(limits));
  }

  /** The account behind the key. */
  currentUser(limits?: Limits): Promise<User> {
    return call(currentUser, undefined, this.#context(limits));
  }

  /** The last lines of an instance's log, 64 KB at the most, within 5 s. A service of the specification's letter has none: NotFoundError. */
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

  async #listPages(label: string | undefined, limits?: Limits): Promise<Instance[]> {
    const found = new Map<number, Instance>();
    const seen = new Set<string>();
    let afterToken: string | undefined;
    do {
      const page: InstancePage = await call(listInstancesPage, { afterToken, label }, this.#context(limits));
      for (const instance of page.instances) found.set(instance.id, instance);
      afterToken = page.nextToken;
      // Without this, a service that repeats a page would keep us here for ever; an incomplete list must not pass as whole.
      if (afterToken !== undefined && seen.has(afterToken)) {
        throw new UnexpectedAnswerError(listInstancesPage.operation, "the list repeats a page");
      }
      if (afterToken !== undefined) seen.add(afterToken);
    } while (afterToken !== undefined);
    return [...found.values()];
  }

  #context(limits: Limits | undefined): CallContext {
    const common = { connection: this.#connection, clock: this.#clock, patienceMs: this.#patienceMs };
    return { ...common, ...limitsOf(limits) };
  }
}

function undefinedWhenNotFound(error: unknown): undefined {
  if (error instanceof NotFoundError) return undefined;
  throw error;
}
