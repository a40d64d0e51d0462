// The seam to the marketplace, in words of the domain. All that crosses it is plain data: it can be
// written down as JSON and read again.

/** Ends a call: a signal, or for a read the moment until which passing faults are asked again. */
export interface CallLimits {
  signal?: AbortSignal;
  /** Milliseconds since the epoch. */
  until?: number;
}

/** A bare signal, or all limits of a call. */
export type CallOptions = AbortSignal | CallLimits;

/**
 * Rents out machines. A method that can't bring its answer throws a MarketplaceError, whose
 * `refusal` says why; a list that is shorter than it says is refused as `unreadable`.
 */
export interface Marketplace extends AsyncDisposable {
  /** Searches offers. A filter need not have been applied: check again what the offers show. */
  search(query: OfferQuery, options?: CallOptions): Promise<OfferPage>;
  /** Asks once for one instance. Never throws for what the marketplace or the network says. */
  create(order: CreateOrder, signals?: CreateSignals): Promise<CreateAnswer>;
  /** Lists the account's instances, other people's runs included; `label` only saves pages. */
  list(options?: CallOptions, label?: string): Promise<Instance[]>;
  /** Looks at one instance; `gone` is the marketplace's own word that there is none. */
  get(id: number, options?: CallOptions): Promise<Instance | "gone">;
  /** Asks once to destroy an instance; `gone`: there was none. Whether it went is seen by `get`. */
  destroy(id: number, options?: CallOptions): Promise<"asked" | "gone">;
  /** Returns the last lines of an instance's log, within seconds: foreign text, with secrets in it. */
  logs(request: LogRequest, signal?: AbortSignal): Promise<string>;
  /** Tells about the account behind the key. */
  account(options?: CallOptions): Promise<Account>;
  /** Tells what the key may do; undefined where the marketplace does not show it. */
  keyRights(account: Account, options?: CallOptions): Promise<KeyRights | undefined>;
  /** Brings the templates that have this hash, or this whole name. */
  templates(wanted: { hash: string } | { name: string }, options?: CallOptions): Promise<Template[]>;
  /** Tells where a volume is, or the room for a new one; `unknown`: there is none of that id. */
  volumePlace(volume: Volume, options?: CallOptions): Promise<VolumePlace | "unknown" | "untold">;
}

/** What an hour of a machine costs, and a GB that goes in or out, where that is told. USD. */
export interface Price {
  /** Per hour, all of it: GPUs and disk. */
  total: number;
  /** Per hour, the disk's part, which bills without the GPUs, too. */
  storage: number;
  /** Per GB in and out. */
  inetDown?: number | undefined;
  inetUp?: number | undefined;
  /** Per hour, of an interruptible machine: what is bid for its GPUs. */
  bid?: number | undefined;
}

/** A rentable machine. What is undefined was not told. */
export interface Offer {
  id: number;
  /** Of the physical machine: its other offers have the same. */
  machineId?: number | undefined;
  gpuName: string;
  numGpus: number;
  /** With the disk that was searched for; without a bid. */
  price: Price;
  /** USD per hour for the GPUs: the lowest bid that wins. */
  lowestBid: number;
  isRentable?: boolean | undefined;
  isRented?: boolean | undefined;
  /** Not the marketplace's own: passed on from another one. */
  isExternal?: boolean | undefined;
  isVerified?: boolean | undefined;
  isDatacenter?: boolean | undefined;
  /** 0 to 1. */
  reliability?: number | undefined;
  /** Two capital letters. */
  country?: string | undefined;
  cpuArch?: string | undefined;
  /** The offer's part of the machine's cores and memory. */
  cpuCores?: number | undefined;
  cpuRamGb?: number | undefined;
  diskGb?: number | undefined;
  gpuRamMb?: number | undefined;
  /** Such as 8.9. */
  computeCap?: number | undefined;
  /** The newest CUDA version that its driver is good for. */
  cuda?: number | undefined;
  inetDownMbps?: number | undefined;
  /** How long it may still be rented. */
  durationSeconds?: number | undefined;
  /** All that the marketplace shows of it, by the names that filters use. */
  fields: Readonly<Record<string, unknown>>;
}

export type FilterOperator = "eq" | "neq" | "gt" | "gte" | "lt" | "lte" | "in" | "notin";

/** `{<operator>: <value>}` for one field of an offer. */
export type FieldFilter = {
  readonly [operator in FilterOperator]?: string | number | boolean | readonly (string | number | boolean)[];
};

/** A search. Fields have the names that users write in `offer-filter`, which are the seed's. */
export interface OfferQuery {
  filters: Readonly<Record<string, FieldFilter>>;
  isInterruptible: boolean;
  order: readonly (readonly [field: string, direction: "asc" | "desc"])[];
  limit: number;
  /** The disk that prices are for. */
  diskGb: number;
  /** The fields of filters that the user wrote: where one is refused, so is the search. */
  given: readonly string[];
}

/** Offers in the order that was asked for. */
export interface OfferPage {
  offers: Offer[];
  /** The marketplace did not take the query, and took one that lacks these fields. */
  plainer?: { fields: string[]; refusal: Refusal };
}

/**
 * A volume that a machine is to have: one of the account, or a new one by an offer of room, which
 * outlives the machine and bills until it is deleted.
 */
export type Volume =
  | { kind: "existing"; id: number; mountPath: string }
  | { kind: "new"; offerId: number; sizeGb: number; mountPath: string };

/** Where a volume is, and what its room costs. */
export interface VolumePlace {
  machineId?: number | undefined;
  usdPerGbMonth?: number | undefined;
}

/** What the inputs demand of an instance. At least one of `image` and `templateHashId` is there. */
export interface InstanceRequirements {
  image?: string | undefined;
  /** `-u USER -p TOKEN REGISTRY`: a secret. */
  imageLogin?: string | undefined;
  templateHashId?: string | undefined;
  /**
   * How SSH reaches the instance: by the marketplace's proxy, or at its own address. Never the plain
   * `ssh`: with that word the proxy's port was seen not to be reachable.
   */
  runtype: "ssh_proxy" | "ssh_direct";
  /** GB. */
  disk: number;
  volume?: Volume | undefined;
}

/** All that an instance is created with. */
export interface CreateOrder extends InstanceRequirements {
  offerId: number;
  label: string;
  /** Values are secrets. */
  env: Readonly<Record<string, string>>;
  /** The script that it runs when it starts. */
  onstart: string;
  /** USD per hour for the GPUs; undefined: on demand. */
  bid?: number | undefined;
}

/** Signals that keep a create from being sent, and cut one that is under way. */
export interface CreateSignals {
  before?: AbortSignal | undefined;
  way?: AbortSignal | undefined;
  /** Called when its turn has come, right before it is sent. */
  onSend?: (() => void) | undefined;
}

/**
 * The answer to a create. `unwanted`: an instance came with a refusal, to be destroyed. `refused`:
 * none was made, by what was said. `uncertain`: one may exist or come to exist.
 */
export type CreateAnswer =
  | { kind: "created"; instanceId: number }
  | { kind: "unwanted"; instanceId: number; refusal: Refusal }
  | { kind: "refused"; refusal: Refusal }
  | { kind: "uncertain"; refusal: Refusal };

/** Why a call brought no answer. */
export type RefusalCode =
  /** The key is missing, mistyped, revoked, or may not do this. */
  | "key"
  | "permission"
  /** There is none of that id. */
  | "not-found"
  /** Of a create: somebody else has the offer, or bids more. */
  | "offer-gone"
  | "too-fast"
  /** The account has no credit, or is too new for machines of so much an hour. */
  | "no-credit"
  | "spend-rate"
  | "no-template"
  /** The request is at fault: sent again, it is refused again. */
  | "rejected"
  /** The marketplace failed, gave no answer, or one that can't be read. */
  | "fault"
  | "no-answer"
  | "unreadable";

/** A refused call, or one without an answer that can be read. */
export interface Refusal {
  code: RefusalCode;
  /** The operation in words: `create instance`. */
  operation: string;
  /** Of HTTP; undefined: no answer came. */
  status?: number | undefined;
  /** True: said in the marketplace's own JSON. False: a gateway's page, or no answer. */
  ownWord: boolean;
  /** In one line. */
  sentence: string;
  /** The permission that the call needs, and its request. */
  needs?: { permission: string; route?: string | undefined } | undefined;
  /** `too-fast`: how long to wait before the next call of this kind. */
  waitMs?: number | undefined;
}

/**
 * The container's state. `silent`: no heartbeat reaches the marketplace, which says nothing of the
 * container. `ended`: it ended by itself, and won't run again. Any other word is `pending`.
 */
export type InstanceState = "pending" | "running" | "stopped" | "ended" | "silent";

/** An instance as the marketplace shows it. What is undefined was not told. */
export interface Instance {
  id: number;
  label?: string | undefined;
  state: InstanceState;
  /** The state in the marketplace's own word; undefined: it is being provisioned. */
  status?: string | undefined;
  /** Why it is in this state, in the marketplace's words: foreign text. */
  message?: string | undefined;
  /** The marketplace keeps it stopped: outbid, out of credit, or by hand. */
  isHalted: boolean;
  isInterruptible?: boolean | undefined;
  machineId?: number | undefined;
  usdPerHour?: number | undefined;
  /** When the marketplace made it, in milliseconds since the epoch. */
  startedAt?: number | undefined;
  /** Billed since its creation. */
  traffic?: { downGb?: number | undefined; upGb?: number | undefined } | undefined;
  usage?: Usage | undefined;
  ssh: Reachable;
}

/** What an instance does at the moment, as its host reports it. What is undefined was not reported. */
export interface Usage {
  /** 0 to 100. */
  gpuPercent?: number | undefined;
  gpuCelsius?: number | undefined;
  gpuMemoryGb?: number | undefined;
  /** 0 to 100. */
  cpuPercent?: number | undefined;
  /** What it holds, and what it may hold. */
  ramGb?: number | undefined;
  ramOfGb?: number | undefined;
  diskGb?: number | undefined;
}

/** Where SSH answers: at the marketplace's proxy, and at the machine itself. Foreign text. */
export interface Reachable {
  proxy?: Address | undefined;
  direct?: Address | undefined;
}

interface Address {
  host: string;
  port?: number | undefined;
}

/** How many last lines of which log: the container's own, or its host's on it. */
export interface LogRequest {
  id: number;
  lines: number;
  log: "container" | "daemon";
}

/** The account behind the key. */
export interface Account {
  creditUsd?: number | undefined;
  /** Of the key that asked. */
  keyId?: number | undefined;
}

/** What a key may do, in the marketplace's words, and what renting needs beside that. */
export interface KeyRights {
  permissions: readonly string[];
  missing: readonly string[];
}

/** A stored bundle of defaults for instances. */
export interface Template {
  hash: string;
  name?: string | undefined;
  creatorId?: number | undefined;
  /** With its tag, where one is told. */
  image?: string | undefined;
  /** Filters of a search by field, not checked. */
  filters: Readonly<Record<string, unknown>>;
}
