// The seam to the marketplace, in words of the domain (ADR 22, docs/internals/adr). All that crosses it
// is plain data: it can be written down as JSON and read again.

/** What ends a call: a signal, or for a read the moment until which it is retried after passing faults. */
export interface CallLimits {
  signal?: AbortSignal;
  /** Milliseconds since the epoch. */
  until?: number;
}

export type CallOptions = AbortSignal | CallLimits;

/** Rents out machines. Where a method has no answer, or a cut list, it throws a MarketplaceError with its `refusal`. */
export interface Marketplace extends AsyncDisposable {
  /** How far its clock is ahead of ours, by the date of its last list, in milliseconds. Undefined: not known. */
  readonly aheadMs?: number | undefined;
  /** Searches offers. The marketplace may leave out a filter: check what the offers show. */
  search(query: OfferQuery, options?: CallOptions): Promise<OfferPage>;
  /** Asks once for an instance. Never throws for what the marketplace or the network says. */
  create(order: InstanceOrder, signals?: CreateSignals): Promise<CreateAnswer>;
  /** Lists the account's instances, those of other runs included. `label` only saves pages: check the labels. */
  list(options?: CallOptions, label?: string): Promise<Instance[]>;
  /** Looks at one instance; `gone` is the marketplace's own word that there is none. */
  get(id: number, options?: CallOptions): Promise<Instance | "gone">;
  /** Asks once to destroy an instance; `gone`: there was none. Use `get` to see that it went. */
  destroy(id: number, options?: CallOptions): Promise<"asked" | "gone">;
  /** Returns the last lines of an instance's log, within seconds: foreign text, with secrets in it. */
  logs(request: LogRequest, signal?: AbortSignal): Promise<string>;
  /** Looks at the account behind the key. */
  account(options?: CallOptions): Promise<Account>;
  /** Looks up what the key may do; undefined if the marketplace does not show it. */
  keyRights(account: Account, options?: CallOptions): Promise<KeyRights | undefined>;
  /** Lists the templates that have this hash, or this whole name. */
  templates(wanted: { hash: string } | { name: string }, options?: CallOptions): Promise<Template[]>;
  /** Looks up a volume's machine. `unknown`: the account has no such volume; `not-shown`: nobody says where. */
  volumePlace(volumeId: number, options?: CallOptions): Promise<number | "unknown" | "not-shown">;
}

/** The price of an hour of a machine, and of a GB in or out if that is shown. USD. */
export interface Price {
  /** Per hour, GPUs and disk. */
  total: number;
  /** Per hour, the disk alone, which bills also while the machine is stopped. */
  storage: number;
  /** Per GB in and out. */
  inetDown?: number | undefined;
  inetUp?: number | undefined;
  /** Per hour, the bid for the GPUs of an interruptible machine. */
  bid?: number | undefined;
}

/** A rentable machine. Undefined: the marketplace did not show it. */
export interface Offer {
  id: number;
  /** The id of the physical machine, which all its offers share. */
  machineId: number | undefined;
  gpuName: string;
  numGpus: number;
  /** The price on demand, with the disk that was searched for. */
  price: Price;
  /** The lowest bid that wins, in USD per hour for the GPUs. */
  lowestBid: number;
  isDatacenter: boolean | undefined;
  /** 0 to 1. */
  reliability: number | undefined;
  /** Two capital letters. */
  country: string | undefined;
  cpuArch: string | undefined;
  /** The offer's share of the machine's cores and memory. */
  cpuCores: number | undefined;
  cpuRamGb: number | undefined;
  diskGb: number | undefined;
  gpuRamMb: number | undefined;
  /** Such as 8.9. */
  computeCap: number | undefined;
  /** The newest CUDA version that its driver is good for. */
  cuda: number | undefined;
  inetDownMbps: number | undefined;
  /** How long the machine may still be rented. */
  durationSeconds: number | undefined;
  /** All that the marketplace shows of the offer, by the names that filters use. */
  fields: Readonly<Record<string, unknown>>;
}

export type FilterOperator = "eq" | "neq" | "gt" | "gte" | "lt" | "lte" | "in" | "notin";

/** `{<operator>: <value>}` for one field of an offer. */
export type FieldFilter = {
  readonly [operator in FilterOperator]?: string | number | boolean | readonly (string | number | boolean)[];
};

/** A search. Filters have the names that users write in `offer-filter`, which are the specification's. */
export interface OfferQuery {
  filters: Readonly<Record<string, FieldFilter>>;
  isInterruptible: boolean;
  order: readonly (readonly [field: string, direction: "asc" | "desc"])[];
  limit: number;
  /** The disk that prices are for. */
  diskGb: number;
  /** The fields that the user filters by: if one is refused, so is the search. */
  given: readonly string[];
}

/** Offers in the order that was asked for. */
export interface OfferPage {
  offers: Offer[];
  /** Set if the marketplace refused the query, and took one that lacks these fields. */
  plainer?: { fields: string[]; refusal: Refusal };
}

/** A volume of the account that a machine is to have. */
export interface Volume {
  id: number;
  mountPath: string;
}

/** What the inputs demand of an instance. At least one of `image` and `templateHashId` is there. */
export interface InstanceRequirements {
  image?: string | undefined;
  /** `-u USER -p TOKEN REGISTRY`: a secret. */
  imageLogin?: string | undefined;
  templateHashId?: string | undefined;
  /** How SSH reaches the instance. Never the plain `ssh`: the proxy's port was seen not to be reachable then. */
  runtype: "ssh_proxy" | "ssh_direct";
  /** GB. */
  disk: number;
  volume?: Volume | undefined;
}

/** An order for an instance. */
export interface InstanceOrder extends InstanceRequirements {
  offerId: number;
  label: string;
  /** Values are secrets. */
  env: Readonly<Record<string, string>>;
  /** The script that the instance runs when it starts. */
  onstart: string;
  /** The bid in USD per hour for the GPUs; undefined: on demand. */
  bid?: number | undefined;
}

/** Signals that end a call: `before` it is sent, or on its `way`. */
export interface CreateSignals {
  before?: AbortSignal | undefined;
  way?: AbortSignal | undefined;
  /** Called right before the call is sent, when its turn has come. */
  onSend?: (() => void) | undefined;
}

/**
 * The answer to a create. `unwanted`: refused and made all the same; destroy it. `refused`: surely none was made.
 * `uncertain`: an instance may exist, or come to exist.
 */
export type CreateAnswer =
  | { kind: "created"; instanceId: number }
  | { kind: "unwanted"; instanceId: number; refusal: Refusal }
  | { kind: "refused"; refusal: Refusal }
  | { kind: "uncertain"; refusal: Refusal };

/** Why a call failed. */
export type RefusalCode =
  /** The key is missing, mistyped or revoked. */
  | "key"
  | "permission"
  | "not-found"
  /** Somebody else has the offer, or bids more. */
  | "offer-gone"
  | "too-fast"
  /** The account's searches of this day are used up. */
  | "quota"
  | "no-credit"
  /** The account is too new to spend so much an hour. */
  | "spend-rate"
  | "no-template"
  /** The request is at fault: sent again, it is refused again. */
  | "rejected"
  | "fault"
  | "no-answer"
  | "unreadable";

/** A call that was refused, or that got no answer that can be read. */
export interface Refusal {
  code: RefusalCode;
  /** The operation in words: `create instance`. */
  operation: string;
  /** The HTTP status; undefined: no answer came. */
  status?: number | undefined;
  /** True if the marketplace said so in its own JSON. False for a gateway's page, or no answer. */
  ownWord: boolean;
  /** The reason, in one line. */
  sentence: string;
  /** The permission that the call needs, and the request's method and path. */
  needs?: { permission: string; route?: string | undefined } | undefined;
  /** How long to wait before the next call of this kind, for `too-fast`. */
  waitMs?: number | undefined;
  /** When the account may search again, for `quota`, in milliseconds since the epoch. */
  againAt?: number | undefined;
}

/** The container's state. `silent`: no heartbeat arrives. `ended`: by itself, for good. `pending`: all else. */
type InstanceState = "pending" | "running" | "stopped" | "ended" | "silent";

/** An instance as the marketplace shows it. Undefined: not shown. */
export interface Instance {
  id: number;
  label: string | undefined;
  state: InstanceState;
  /** The state in the marketplace's own word; undefined: the instance is being provisioned. */
  status: string | undefined;
  /** The reason for the state in the marketplace's words: foreign text. */
  message: string | undefined;
  /** True if the marketplace keeps the instance stopped: outbid, out of credit, or by hand. */
  isHalted: boolean;
  isInterruptible: boolean | undefined;
  machineId: number | undefined;
  usdPerHour: number | undefined;
  /** When the marketplace made the instance, in milliseconds since the epoch. */
  startedAt: number | undefined;
  /** The traffic that was billed since the creation. */
  traffic: { downGb?: number | undefined; upGb?: number | undefined } | undefined;
  ssh: Reachable;
}

/** The addresses at which SSH answers: the marketplace's proxy, and the machine itself. Foreign text. */
export interface Reachable {
  proxy?: Address | undefined;
  direct?: Address | undefined;
}

interface Address {
  host: string;
  port?: number | undefined;
}

/** A request for the last lines of a log: the container's own, or its host's about it. */
export interface LogRequest {
  id: number;
  lines: number;
  log: "container" | "daemon";
}

/** The account behind the key. */
export interface Account {
  creditUsd: number | undefined;
  /** The id of the key that asked. */
  keyId: number | undefined;
}

/** The permissions of a key, in the marketplace's words, and those that renting needs and the key lacks. */
export interface KeyRights {
  permissions: readonly string[];
  missing: readonly string[];
}

/** A stored bundle of defaults for instances. */
export interface Template {
  hash: string;
  name: string | undefined;
  creatorId: number | undefined;
  /** The image's name, with a tag if the marketplace shows one. */
  image: string | undefined;
  /** The template's own filters for a search, by field. They are not checked. */
  filters: Readonly<Record<string, unknown>>;
}
