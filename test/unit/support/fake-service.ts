import type { Marketplace } from "../../../src/marketplace/marketplace.ts";
import type { Clock } from "../../../src/shared/clock.ts";
import type { CallSignals } from "../../../src/vast/connection.ts";
import type { RawAnswer } from "../../../src/vast/refusals.ts";
import type { InstanceConfig, LogRequest, OfferQuery } from "../../../src/vast/requests.ts";
import { type Instance, instanceSchema, type Offer } from "../../../src/vast/schemas.ts";
import type { ServiceClient } from "../../../src/vast/service-client.ts";
import { VastMarketplace } from "../../../src/vast/vast-marketplace.ts";

type Answers = {
  searchOffers: Offer[];
  createInstance: RawAnswer;
  listInstances: Instance[];
  getInstance: Instance | undefined;
  destroyInstance: "asked" | "absent";
  requestLogs: string;
};

/** One call's result: an answer, an error that it throws, or a function of them. */
type Step<T> = T | Error | (() => T | Error | Promise<T | Error>);

/** One call as it was made. */
export interface FakeCall {
  operation: keyof Answers;
  /** Seconds since the test began. */
  at: number;
  /** The instance or offer that it was about. */
  id?: number;
}

/** An answer to *create instance*. */
export function createAnswer(status: number, body: unknown): RawAnswer {
  return { status, text: JSON.stringify(body), json: body, retryAfter: undefined };
}

/** A service of one account: a list of instances, and next calls' answers by operation. */
export class FakeService {
  readonly calls: FakeCall[] = [];
  readonly instances = new Map<number, Instance>();
  readonly creates: InstanceConfig[] = [];
  readonly searches: OfferQuery[] = [];
  offers: Offer[] = [];
  /** Every instance's logs. */
  readonly logs = { container: "", daemon: "" };
  readonly #clock: Clock;
  readonly #start: number;
  readonly #next = new Map<keyof Answers, Step<unknown>[]>();
  readonly #always = new Map<keyof Answers, Step<unknown>>();
  #lastId = 700;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#start = clock.now();
    // A cast, as that class has private fields.
    this.client = new VastMarketplace(this as unknown as ServiceClient);
  }

  /** The marketplace that the rooms take, over this client. */
  readonly client: Marketplace;

  /** Puts an instance into the account. */
  put(fields: Record<string, unknown> & { id: number }): void {
    this.instances.set(fields.id, instanceSchema.parse(fields));
  }

  /** The next calls of an operation give these, one after the other; what follows is as usual. */
  next<Name extends keyof Answers>(operation: Name, ...steps: Step<Answers[Name]>[]): void {
    this.#next.set(operation, [...(this.#next.get(operation) ?? []), ...steps]);
  }

  /** All calls of an operation give this from now on. */
  always<Name extends keyof Answers>(operation: Name, step: Step<Answers[Name]>): void {
    this.#always.set(operation, step);
  }

  /** How often an operation was called, or at which seconds, or for which ids. */
  of(operation: keyof Answers): FakeCall[] {
    return this.calls.filter((call) => call.operation === operation);
  }

  async searchOffers(query: OfferQuery): Promise<Offer[]> {
    this.searches.push(query);
    return await this.#answer("searchOffers", undefined, () => this.offers);
  }

  /** Usually: rents, and answers as the specification says. */
  async createInstance(offerId: number, config: InstanceConfig, signals: CallSignals = {}): Promise<RawAnswer> {
    signals.before?.throwIfAborted();
    signals.onSend?.();
    this.creates.push(config);
    return await this.#answer("createInstance", offerId, () => this.rent(config), signals.way);
  }

  /** Makes an instance of a create, and its answer. */
  rent(config: Pick<InstanceConfig, "label">): RawAnswer {
    this.#lastId += 1;
    this.put({ id: this.#lastId, label: config.label, actual_status: null });
    return createAnswer(200, { success: true, new_contract: this.#lastId, instance_api_key: "instance-key" });
  }

  async listInstances(): Promise<Instance[]> {
    return await this.#answer("listInstances", undefined, () => [...this.instances.values()]);
  }

  async getInstance(id: number): Promise<Instance | undefined> {
    return await this.#answer("getInstance", id, () => this.instances.get(id));
  }

  async destroyInstance(id: number): Promise<"asked" | "absent"> {
    return await this.#answer("destroyInstance", id, () => (this.instances.delete(id) ? "asked" : "absent"));
  }

  /** Usually: the log is empty. */
  async requestLogs({ id, log }: LogRequest, signal?: AbortSignal): Promise<string> {
    return await this.#answer("requestLogs", id, () => this.logs[log], signal);
  }

  async #answer<Name extends keyof Answers>(
    operation: Name,
    id: number | undefined,
    usual: () => Answers[Name],
    signal?: AbortSignal,
  ): Promise<Answers[Name]> {
    const at = (this.#clock.now() - this.#start) / 1000;
    this.calls.push({ operation, at, ...(id === undefined ? {} : { id }) });
    const steps = this.#next.get(operation) ?? [];
    const step = steps.length > 0 ? steps.shift() : this.#always.get(operation);
    if (step === undefined) return usual();
    // A test gave this, by `next` and `always`, in the operation's type.
    const given = (await untilAbort(take(step), signal)) as Answers[Name] | Error;
    if (given instanceof Error) throw given;
    return given;
  }
}

async function take(step: Step<unknown>): Promise<unknown> {
  return typeof step === "function" ? await step() : step;
}

/** As a real request does, a call that never comes to anything ends with its signal. */
async function untilAbort<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return await work;
  signal.throwIfAborted();
  return await new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    work.then(resolve, reject);
  });
}
