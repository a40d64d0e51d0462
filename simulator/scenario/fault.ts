import { z } from "zod";

const AREAS = ["instance", "user", "billing", "machine", "team"] as const;

/** One permission that a scoped key may hold. */
export type Permission = `${(typeof AREAS)[number]}_${"read" | "write"}` | "misc";

/** The key permissions; the seed shows only misc, user_read, instance_read, instance_write. */
export const PERMISSIONS: [Permission, ...Permission[]] = [
  "misc",
  ...AREAS.flatMap((area) => [`${area}_read`, `${area}_write`] as const),
];

/** The terms of an operation. */
interface OperationTerms {
  /** `METHOD /path/:id`: an id is an integer, a slash may follow. Of two the second is there as observed alone. */
  readonly at: string | readonly [string, string];
  /** The permission that it needs of a scoped key; null: the key does not matter. */
  readonly needs: Permission | null;
  /** The documented interval: so many calls (default 1) in any window of so many seconds. */
  readonly seconds: number;
  readonly calls?: number;
}

/**
 * The simulated operations by the seed's names, as faults, limits and the journal know them.
 * SPEC-SILENT: the intervals of editing and deleting a template, resetting a key, logs, the current
 * user and most of SSH keys; as their like. Create's "penalty: 12" is left out.
 */
export const OPERATIONS = {
  searchTemplates: { at: "GET /api/v0/template", needs: "user_read", seconds: 3 },
  createTemplate: { at: "POST /api/v0/template", needs: "user_write", seconds: 3 },
  editTemplate: { at: ["PUT /api/v0/template", "PUT /api/v1/template"], needs: "user_write", seconds: 3 },
  deleteTemplate: { at: "DELETE /api/v0/template", needs: "user_write", seconds: 3 },
  listTeamMembers: { at: "GET /api/v0/team/members", needs: "team_read", seconds: 1 },
  // Seed, Limits.
  removeTeamMember: { at: "DELETE /api/v0/team/members/:id", needs: "team_write", seconds: 3 },
  createApiKey: { at: "POST /api/v0/auth/apikeys", needs: "user_write", seconds: 2 },
  listApiKeys: { at: "GET /api/v0/auth/apikeys", needs: "user_read", seconds: 1 },
  getApiKey: { at: "GET /api/v0/auth/apikeys/:id", needs: "user_read", seconds: 1 },
  deleteApiKey: { at: "DELETE /api/v0/auth/apikeys/:id", needs: "user_write", seconds: 2 },
  resetApiKey: { at: "PUT /api/v0/commands/reset_apikey", needs: "user_write", seconds: 2 },
  listVariables: { at: "GET /api/v0/secrets", needs: "user_read", seconds: 5 },
  searchOffers: { at: "POST /api/v0/bundles", needs: "misc", seconds: 60, calls: 10 },
  createInstance: { at: "PUT /api/v0/asks/:id", needs: "instance_write", seconds: 4.5 },
  listInstances: { at: ["GET /api/v0/instances", "GET /api/v1/instances"], needs: "instance_read", seconds: 1 },
  getInstance: { at: "GET /api/v0/instances/:id", needs: "instance_read", seconds: 2 },
  changeInstance: { at: "PUT /api/v0/instances/:id", needs: "instance_write", seconds: 1 },
  destroyInstance: { at: "DELETE /api/v0/instances/:id", needs: "instance_write", seconds: 3 },
  currentUser: { at: "GET /api/v0/users/current", needs: "user_read", seconds: 1 },
  listCharges: { at: "GET /api/v0/charges", needs: "billing_read", seconds: 1 },
  requestLogs: { at: "PUT /api/v0/instances/request_logs/:id", needs: "instance_read", seconds: 1 },
  // Files lie in a store of their own, which looks at the address alone.
  getLogFile: { at: "GET /log-files/:id", needs: null, seconds: 0 },
  rebootInstance: { at: "PUT /api/v0/instances/reboot/:id", needs: "instance_write", seconds: 1 },
  recycleInstance: { at: "PUT /api/v0/instances/recycle/:id", needs: "instance_write", seconds: 1 },
  changeBid: { at: "PUT /api/v0/instances/bid_price/:id", needs: "instance_write", seconds: 5.5 },
  attachSshKey: { at: "POST /api/v0/instances/:id/ssh", needs: "instance_write", seconds: 1 },
  listInstanceSshKeys: { at: "GET /api/v0/instances/:id/ssh", needs: "instance_read", seconds: 1 },
  detachSshKey: { at: "DELETE /api/v0/instances/:id/ssh/:innerId", needs: "instance_write", seconds: 2 },
  // For everybody.
  listGpuNames: { at: "GET /api/v0/gpu_names/unique", needs: null, seconds: 0 },
  searchVolumes: { at: "POST /api/v0/volumes/search", needs: "misc", seconds: 5.5 },
  listVolumes: { at: "GET /api/v0/volumes", needs: "instance_read", seconds: 5.5 },
  createVolume: { at: "PUT /api/v0/volumes", needs: "instance_write", seconds: 5.5 },
  deleteVolume: { at: "DELETE /api/v0/volumes", needs: "instance_write", seconds: 5.5 },
  listSshKeys: { at: "GET /api/v0/ssh", needs: "user_read", seconds: 1 },
  createSshKey: { at: "POST /api/v0/ssh", needs: "user_write", seconds: 1 },
  changeSshKey: { at: "PUT /api/v0/ssh/:id", needs: "user_write", seconds: 1 },
  deleteSshKey: { at: "DELETE /api/v0/ssh/:id", needs: "user_write", seconds: 1 },
} as const satisfies Record<string, OperationTerms>;

/** One of the simulated operations. */
export type ServiceOperation = keyof typeof OPERATIONS;

/** Their names. */
export const SERVICE_OPERATIONS = Object.keys(OPERATIONS) as [ServiceOperation, ...ServiceOperation[]];

/** Rows that a short list lacks: all, or of each seven those whose bit is set. */
const LACKS = z.union([z.literal("all"), z.int().min(1).max(127)]);

/** True for a row that a short list lacks, by its place in the list. */
export function isLacking(lacks: z.infer<typeof LACKS>, index: number): boolean {
  return lacks === "all" || ((lacks >> (index % 7)) & 1) === 1;
}

const seconds = z.number().min(0);
const status = z.int().min(200).max(599);
const when = z.enum(["before", "after"]).optional();

/** The requests that a fault hits, whatever server it is of. */
const TURN = {
  /** The first matching request that is hit, counted from 1 (default 1). */
  nth: z.int().positive().optional(),
  /** How many matching requests in a row are hit (default: 1 with `nth`, else all). */
  times: z.int().positive().optional(),
};

/** The faults of every server, by their kind. `when`: whether the request has taken effect by then (default before). */
export const COMMON_FAULTS = {
  /** It takes effect, then the connection is destroyed without an answer. */
  "lose-answer": {},
  /** The connection stays open without an answer. */
  "never-answer": { when },
  /** This status and JSON body instead of the answer. */
  status: { status, body: z.unknown().optional(), when },
  /** This text instead of the answer. */
  text: { text: z.string(), status: status.optional(), when },
  /** It takes effect; only the answer's first bytes arrive before the connection is destroyed. */
  truncate: { bytes: z.int().min(0) },
  /** It takes effect; its answer arrives bit by bit over so many simulated seconds. */
  drip: { seconds },
  /** It takes effect, or with `when: "after"` only its answer is sent, so many seconds later. */
  delay: { seconds, when },
  /** Lists only: it lacks rows, and its total counts all of them or those shown. See `isLacking`. */
  "short-list": { lacks: LACKS, total: z.enum(["all", "shown"]) },
};

type Rows = Readonly<Record<string, z.ZodRawShape>>;
type Described<Matching extends z.ZodRawShape, Kinds extends Rows> = {
  [Kind in keyof Kinds & string]: z.ZodObject<
    typeof TURN & Matching & { kind: z.ZodLiteral<Kind> } & Kinds[Kind],
    z.core.$strict
  >;
}[keyof Kinds & string];

/** The faults of a server: what names the requests meant, and a row for each kind. Unknown keys are refused. */
export function faultSchema<Matching extends z.ZodRawShape, Kinds extends Rows>(matching: Matching, kinds: Kinds) {
  const schemas = Object.entries(kinds).map(([kind, shape]) =>
    z.strictObject({ ...TURN, ...matching, kind: z.literal(kind), ...shape }),
  );
  type One = Described<Matching, Kinds>;
  return z.discriminatedUnion("kind", schemas as unknown as [One, ...One[]]);
}

/**
 * A request's fault. Several may hit one request: all delays, the first that shapes the answer, and
 * all the others.
 */
export const Fault = faultSchema(
  {
    operation: z.enum(SERVICE_OPERATIONS),
    /** Only requests for this offer. */
    offer: z.int().optional(),
    /** Only requests for this instance. */
    instance: z.int().optional(),
    /** Only requests with a key of the account, or only those with an instance's own key. */
    caller: z.enum(["account", "instance"]).optional(),
  },
  {
    ...COMMON_FAULTS,
    /** The connection is destroyed; nothing happens. */
    refuse: {},
    /** Create only: the answer is lost at once, and the instance exists so many seconds later. */
    "late-create": { seconds },
    /** Create only: the offer is gone, in one of the four forms seen of the service (default 404). */
    "offer-gone": { form: z.enum(["404", "410", "400", "200"]).optional() },
    /** Create only: an error with `new_contract` of a stopped instance (default status 400). */
    "error-with-contract": { status: z.int().min(400).max(599).optional() },
    /** Create only: the account lacks credit. */
    "no-credit": {},
    /** Create only: list and get show the instance only after so many seconds. */
    "visibility-lag": { seconds },
    /** Its JSON answer carries junk: these columns of each row are a bare NaN, those are left out. */
    junk: { nan: z.array(z.string()).default([]), drop: z.array(z.string()).default([]) },
    /** List only: it shows what there was so many seconds ago, in the state of then. */
    "stale-list": { seconds },
    /** Create only: it makes two instances, and answers with the first; lists show the second so much later. */
    twin: { seconds: seconds.default(0) },
    /** The list without pages only: it is there no more, 410. */
    deprecated: {},
    /** List in pages only: every page is the first one, and names a next one. */
    "repeat-page": {},
    /** Search only: the account has searched too often today. */
    "search-quota": {},
    /** Search only: these filters are not applied. */
    "ignore-filters": { keys: z.array(z.string()).min(1) },
  },
);

/** One fault, as tests and scenario files write it. */
export type Fault = z.infer<typeof Fault>;
