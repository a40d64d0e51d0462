import { refusalOf } from "../../../src/marketplace/errors.ts";
import type {
  Account,
  CreateAnswer,
  CreateSignals,
  Instance,
  InstanceOrder,
  KeyRights,
  LogRequest,
  Marketplace,
  Offer,
  OfferPage,
  OfferQuery,
  Template,
} from "../../../src/marketplace/marketplace.ts";
import type { Clock } from "../../../src/shared/clock.ts";

/** What a call brings, by its method. */
type Answers = {
  search: Offer[];
  create: CreateAnswer;
  list: Instance[];
  get: Instance | "gone";
  destroy: "asked" | "gone";
  logs: string;
  account: Account;
};

type Method = keyof Answers;

/** One call's result: an answer, an error that it throws, or a function of them. */
type Step<T> = T | Error | (() => T | Error | Promise<T | Error>);

/** One call as it was made. */
interface MarketCall {
  method: Method;
  /** Seconds since the test began. */
  at: number;
  /** The instance or offer that it was about. */
  id?: number;
}

/** An offer of that market, but for what the test says. What it does not show is not there. */
export function aMarketOffer(given: Partial<Offer> = {}): Offer {
  const fields = { num_gpus: 1, gpu_name: "RTX 4090", rentable: true, verified: true };
  return {
    ...{ id: 1, machineId: 100, gpuName: "RTX 4090", numGpus: 1, reliability: 0.99, fields },
    ...{ price: { total: 0.4, storage: 0.01 }, lowestBid: 0.2 },
    ...given,
  } as Offer;
}

/** An instance of that market that boots, but for what the test says. */
export function aMarketInstance(given: Partial<Instance> & { id: number }): Instance {
  return { state: "pending", isHalted: false, ssh: {}, ...given } as Instance;
}

/**
 * A marketplace of plain values that shares nothing with the rental service: no schema, no HTTP, no
 * pace. It has no templates, volumes or filters, as a marketplace may. A test can say what the
 * calls of a method bring instead.
 */
export class StandInMarket implements Marketplace {
  offers: Offer[] = [aMarketOffer()];
  aheadMs: number | undefined;
  /** All that bills. */
  readonly instances = new Map<number, Instance>();
  readonly calls: MarketCall[] = [];
  /** Every search and every create that was sent. */
  readonly searches: OfferQuery[] = [];
  readonly orders: InstanceOrder[] = [];
  /** Every instance's. */
  readonly texts = { container: "", daemon: "" };
  readonly #clock: Clock;
  readonly #start: number;
  readonly #next = new Map<Method, Step<unknown>[]>();
  readonly #always = new Map<Method, Step<unknown>>();
  #lastId = 700;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#start = clock.now();
  }

  /** The next calls of a method bring these, one after the other; what follows is as usual. */
  next<Name extends Method>(method: Name, ...steps: Step<Answers[Name]>[]): void {
    this.#next.set(method, [...(this.#next.get(method) ?? []), ...steps]);
  }

  /** All calls of a method bring this from now on. */
  always<Name extends Method>(method: Name, step: Step<Answers[Name]>): void {
    this.#always.set(method, step);
  }

  /** The calls of a method. */
  of(method: Method): MarketCall[] {
    return this.calls.filter((call) => call.method === method);
  }

  /** Puts an instance into the account. */
  put(given: Partial<Instance> & { id: number }): void {
    this.instances.set(given.id, aMarketInstance(given));
  }

  /** An instance that is there shows this from now on. */
  shows(id: number, given: Partial<Instance>): void {
    const known = this.instances.get(id);
    if (known) this.instances.set(id, { ...known, ...given });
  }

  /** Carries an order out, whatever is answered to it; the last one, if none is given. */
  rent(order = this.orders.at(-1)): CreateAnswer {
    if (order === undefined) throw new Error("Nothing was ordered.");
    const { bid, label, offerId } = order;
    const { machineId, price } = this.offers.find(({ id }) => id === offerId) ?? {};
    const usdPerHour = price && (bid === undefined ? price.total : bid + price.storage);
    this.#lastId += 1;
    this.put({ id: this.#lastId, label, isInterruptible: bid !== undefined, machineId, usdPerHour });
    return { kind: "created", instanceId: this.#lastId };
  }

  async search(query: OfferQuery): Promise<OfferPage> {
    this.searches.push(query);
    const taken = new Set([...this.instances.values()].map(({ machineId }) => machineId));
    const isFree = ({ machineId }: Offer) => machineId === undefined || !taken.has(machineId);
    return { offers: await this.#answer("search", undefined, () => this.offers.filter(isFree)) };
  }

  async create(order: InstanceOrder, { before, onSend, way }: CreateSignals = {}): Promise<CreateAnswer> {
    before?.throwIfAborted();
    onSend?.();
    this.orders.push(order);
    try {
      return await this.#answer("create", order.offerId, () => this.rent(order), way);
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal === undefined) throw error;
      return { kind: "uncertain", refusal };
    }
  }

  async list(): Promise<Instance[]> {
    return await this.#answer("list", undefined, () => [...this.instances.values()]);
  }

  async get(id: number): Promise<Instance | "gone"> {
    return await this.#answer("get", id, () => this.instances.get(id) ?? "gone");
  }

  async destroy(id: number): Promise<"asked" | "gone"> {
    return await this.#answer("destroy", id, () => (this.instances.delete(id) ? "asked" : "gone"));
  }

  async logs({ id, log }: LogRequest, signal?: AbortSignal): Promise<string> {
    return await this.#answer("logs", id, () => this.texts[log], signal);
  }

  async account(): Promise<Account> {
    return await this.#answer("account", undefined, () => ({ creditUsd: 10, keyId: undefined }));
  }

  async keyRights(): Promise<KeyRights | undefined> {
    return undefined;
  }

  async templates(): Promise<Template[]> {
    return [];
  }

  async volumePlace(): Promise<number | "unknown" | "not-shown"> {
    return "not-shown";
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  async #answer<Name extends Method>(
    method: Name,
    id: number | undefined,
    usual: () => Answers[Name],
    signal?: AbortSignal,
  ): Promise<Answers[Name]> {
    const at = (this.#clock.now() - this.#start) / 1000;
    this.calls.push({ method, at, ...(id === undefined ? {} : { id }) });
    const steps = this.#next.get(method) ?? [];
    const step = steps.length > 0 ? steps.shift() : this.#always.get(method);
    if (step === undefined) return usual();
    // A test gave this, by `next` and `always`, in the method's type.
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
