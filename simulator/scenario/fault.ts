import { z } from "zod";

/** The operations on templates, keys and the team, by the seed's names. */
const ACCOUNT_OPERATIONS = [
  "searchTemplates",
  "createTemplate",
  "editTemplate",
  "deleteTemplate",
  "listTeamMembers",
  "removeTeamMember",
  "createApiKey",
  "listApiKeys",
  "getApiKey",
  "deleteApiKey",
  "resetApiKey",
  "listVariables",
] as const;

/** One of them. */
export type AccountOperation = (typeof ACCOUNT_OPERATIONS)[number];

/** The simulated operations by the seed's names, as faults, limits and the journal know them. */
export const SERVICE_OPERATIONS = [
  ...ACCOUNT_OPERATIONS,
  "searchOffers",
  "createInstance",
  "listInstances",
  "getInstance",
  "changeInstance",
  "destroyInstance",
  "currentUser",
  "listCharges",
  "requestLogs",
  "getLogFile",
  "rebootInstance",
  "recycleInstance",
  "changeBid",
  "attachSshKey",
  "listInstanceSshKeys",
  "detachSshKey",
  "listInstanceFilters",
  "listGpuNames",
  "searchVolumes",
  "listVolumes",
  "createVolume",
  "deleteVolume",
  "listSshKeys",
  "createSshKey",
  "changeSshKey",
  "deleteSshKey",
] as const;

/** One of the simulated operations. */
export type ServiceOperation = (typeof SERVICE_OPERATIONS)[number];

const seconds = z.number().min(0);
const matching = {
  operation: z.enum(SERVICE_OPERATIONS),
  /** The first matching request that is hit, counted from 1 (default 1). */
  nth: z.int().positive().optional(),
  /** How many matching requests in a row are hit (default: 1 with `nth`, else all). */
  times: z.int().positive().optional(),
  /** Only requests for this offer. */
  offer: z.int().optional(),
  /** Only requests for this instance. */
  instance: z.int().optional(),
  /** Only requests with a key of the account, or only those with an instance's own key. */
  caller: z.enum(["account", "instance"]).optional(),
};
const when = z.enum(["before", "after"]).optional();

/** Rows that a short list lacks: all, or of each seven those whose bit is set. */
export const LACKS = z.union([z.literal("all"), z.int().min(1).max(127)]);

/** True for a row that a short list lacks, by its place in the list. */
export function isLacking(lacks: z.infer<typeof LACKS>, index: number): boolean {
  return lacks === "all" || ((lacks >> (index % 7)) & 1) === 1;
}

function fault<Kind extends string, Shape extends z.ZodRawShape>(kind: Kind, shape: Shape) {
  return z.strictObject({ ...matching, kind: z.literal(kind), ...shape });
}

/**
 * A request's fault. `when`: whether the request has taken effect by then (default before). Several
 * may hit one request: all delays, the first that shapes the answer, and all the others.
 */
export const Fault = z.discriminatedUnion("kind", [
  /** The connection is destroyed; nothing happens. */
  fault("refuse", {}),
  /** It takes effect, then the connection is destroyed without an answer. */
  fault("lose-answer", {}),
  /** The connection stays open without an answer. */
  fault("never-answer", { when }),
  /** This status and JSON body instead of the answer. */
  fault("status", { status: z.int().min(200).max(599), body: z.unknown().optional(), when }),
  /** This text instead of the answer, as text/plain. */
  fault("text", { text: z.string(), status: z.int().min(200).max(599).optional(), when }),
  /** It takes effect; only the answer's first bytes arrive before the connection is destroyed. */
  fault("truncate", { bytes: z.int().min(0) }),
  /** It takes effect; its answer arrives bit by bit over so many seconds. */
  fault("drip", { seconds }),
  /** It takes effect, or with `when: "after"` only its answer is sent, so many seconds later. */
  fault("delay", { seconds, when }),
  /** Create only: the answer is lost at once, and the instance exists so many seconds later. */
  fault("late-create", { seconds }),
  /** Create only: the offer is gone, in one of the four forms seen of the service (default 404). */
  fault("offer-gone", { form: z.enum(["404", "410", "400", "200"]).optional() }),
  /** Create only: an error with `new_contract` of a stopped instance (default status 400). */
  fault("error-with-contract", { status: z.int().min(400).max(599).optional() }),
  /** Create only: the account lacks credit. */
  fault("no-credit", {}),
  /** Create only: an image without tag or digest makes the service fail with 500. */
  fault("untagged-image", {}),
  /** Create only: list and get show the instance only after so many seconds. */
  fault("visibility-lag", { seconds }),
  /** Its JSON answer carries junk: these columns of each row are a bare NaN, those are left out. */
  fault("junk", { nan: z.array(z.string()).default([]), drop: z.array(z.string()).default([]) }),
  /** Start only: GPUs are taken, the answer says no, yet it starts so much later unless stopped. */
  fault("start-queued", { seconds }),
  /** List only: it shows what there was so many seconds ago, in the state of then. */
  fault("stale-list", { seconds }),
  /** Create only: it makes two instances, and answers with the first; lists show the second so much later. */
  fault("twin", { seconds: seconds.default(0) }),
  /** List only: it lacks rows, and its total counts all of them or those shown. See `isLacking`. */
  fault("short-list", { lacks: LACKS, total: z.enum(["all", "shown"]) }),
  /** The list without pages only: it is there no more, 410. */
  fault("deprecated", {}),
  /** List in pages only: every page is the first one, and names a next one. */
  fault("repeat-page", {}),
  /** Search only: the account has searched too often today. */
  fault("search-quota", {}),
  /** Search only: these filters are not applied. */
  fault("ignore-filters", { keys: z.array(z.string()).min(1) }),
]);

/** One fault, as tests and scenario files write it. */
export type Fault = z.infer<typeof Fault>;

/** The key permissions; the seed shows only misc, user_read, instance_read, instance_write. */
export const PERMISSIONS = [
  "instance_read",
  "instance_write",
  "user_read",
  "user_write",
  "billing_read",
  "billing_write",
  "machine_read",
  "machine_write",
  "misc",
  "team_read",
  "team_write",
] as const;

/** One permission that a scoped key may hold. */
export type Permission = (typeof PERMISSIONS)[number];
