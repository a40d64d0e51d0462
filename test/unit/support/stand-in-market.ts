import { refusalError } from "../../../src/marketplace/errors.ts";
import type {
  Account,
  CreateAnswer,
  CreateOrder,
  CreateSignals,
  Instance,
  KeyRights,
  LogRequest,
  LogTail,
  Marketplace,
  Offer,
  OfferPage,
  Refusal,
  Template,
  VolumePlace,
} from "../../../src/marketplace/marketplace.ts";

/** Methods of which a test can make the next calls fail. */
type Failing = "search" | "list" | "get" | "destroy" | "logs" | "account";

/** An offer of that market, but for what the test says. */
export function aMarketOffer(given: Partial<Offer> = {}): Offer {
  const fields = { num_gpus: 1, gpu_name: "RTX 4090", rentable: true, verified: true };
  return {
    id: 1,
    machineId: 100,
    gpuName: "RTX 4090",
    numGpus: 1,
    price: { total: 0.4, storage: 0.01 },
    lowestBid: 0.2,
    reliability: 0.99,
    fields,
    ...given,
  };
}

/**
 * A marketplace of plain values that shares nothing with the rental service: no schema, no HTTP, no
 * pace. It has no logs, templates, volumes or filters, as a marketplace may.
 */
export class StandInMarket implements Marketplace {
  offers: Offer[] = [aMarketOffer()];
  /** All that bills. */
  readonly instances = new Map<number, Instance>();
  /** Every create that was sent. */
  readonly orders: CreateOrder[] = [];
  /** Called instead of making an instance, by the next creates in turn. */
  readonly nextCreates: ((order: CreateOrder) => CreateAnswer)[] = [];
  readonly #failures = new Map<Failing, Refusal[]>();
  #lastId = 700;

  /** The next calls of a method are refused like this, one after the other. */
  fail(method: Failing, ...refusals: Refusal[]): void {
    this.#failures.set(method, [...(this.#failures.get(method) ?? []), ...refusals]);
  }

  /** An instance that is there shows this from now on. */
  shows(id: number, given: Partial<Instance>): void {
    const known = this.instances.get(id);
    if (known) this.instances.set(id, { ...known, ...given });
  }

  /** Makes an instance of an order, whatever is answered to it. */
  make({ bid, label, offerId }: CreateOrder): number {
    const offer = this.offers.find(({ id }) => id === offerId);
    this.#lastId += 1;
    this.instances.set(this.#lastId, {
      id: this.#lastId,
      label,
      state: "pending",
      isHalted: false,
      isInterruptible: bid !== undefined,
      machineId: offer?.machineId,
      usdPerHour: offer?.price.total,
      ssh: {},
    });
    return this.#lastId;
  }

  async search(): Promise<OfferPage> {
    this.#failIfTold("search");
    const taken = new Set([...this.instances.values()].map(({ machineId }) => machineId));
    return { offers: this.offers.filter(({ machineId }) => !taken.has(machineId)) };
  }

  async create(order: CreateOrder, signals: CreateSignals = {}): Promise<CreateAnswer> {
    signals.before?.throwIfAborted();
    signals.onSend?.();
    this.orders.push(order);
    const answer = this.nextCreates.shift();
    return answer ? answer(order) : { kind: "created", instanceId: this.make(order) };
  }

  async list(): Promise<Instance[]> {
    this.#failIfTold("list");
    return [...this.instances.values()];
  }

  async get(id: number): Promise<Instance | "gone"> {
    this.#failIfTold("get");
    return this.instances.get(id) ?? "gone";
  }

  async destroy(id: number): Promise<"asked" | "gone"> {
    this.#failIfTold("destroy");
    return this.instances.delete(id) ? "asked" : "gone";
  }

  async logs(_request: LogRequest): Promise<LogTail> {
    this.#failIfTold("logs");
    return { text: "" };
  }

  async account(): Promise<Account> {
    this.#failIfTold("account");
    return { creditUsd: 10 };
  }

  async keyRights(): Promise<KeyRights | undefined> {
    return undefined;
  }

  async templates(): Promise<Template[]> {
    return [];
  }

  async volumePlace(): Promise<VolumePlace | "unknown" | "untold"> {
    return "untold";
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  #failIfTold(method: Failing): void {
    const refusal = this.#failures.get(method)?.shift();
    if (refusal) throw refusalError(refusal);
  }
}
