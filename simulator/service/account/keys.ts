import type { AccountOperation, Permission, ServiceOperation } from "../../scenario/fault.ts";
import type { InstanceRecord } from "../rentals/instance-record.ts";
import { destruction } from "../rentals/instance-record.ts";
import type { Dialect } from "../traffic/refusal.ts";
import { Refusal } from "../traffic/refusal.ts";
import type { ApiKeys } from "./api-keys.ts";

/** Who asks, as the key of the request tells. */
export type Caller =
  | { kind: "account"; keyId: number }
  | { kind: "scoped"; keyId: number; scopes: readonly Permission[] }
  | { kind: "instance"; instanceId: number }
  | { kind: "anonymous" }
  | { kind: "invalid" };

/** A key of the account that is restricted to some permissions. */
export interface ScopedKey {
  readonly key: string;
  readonly scopes: readonly Permission[];
  /** The user id of the team's member who has it. */
  readonly member?: number | undefined;
}

interface KeyRing {
  apiKeys: ApiKeys;
  instances: readonly InstanceRecord[];
}

/** Tells from an Authorization header who asks; the scheme is bearer. */
export function identify(header: string | undefined, { apiKeys, instances }: KeyRing): Caller {
  if (header === undefined) return { kind: "anonymous" };
  const key = /^Bearer +(\S+) *$/i.exec(header)?.[1];
  if (key === undefined) return { kind: "invalid" };
  const known = apiKeys.bySecret(key);
  if (known?.scopes) return { kind: "scoped", keyId: known.id, scopes: known.scopes };
  if (known) return { kind: "account", keyId: known.id };
  // SPEC-SILENT: an instance's key dies with it.
  const own = instances.find((each) => each.apiKey === key && !destruction(each));
  return own ? { kind: "instance", instanceId: own.id } : { kind: "invalid" };
}

/** Names the caller without its key. */
export function callerName(caller: Caller): string {
  return caller.kind === "instance" ? `instance ${caller.instanceId}` : caller.kind;
}

const ACCOUNT_NEEDS: Record<AccountOperation, Permission> = {
  searchTemplates: "user_read",
  createTemplate: "user_write",
  editTemplate: "user_write",
  deleteTemplate: "user_write",
  listTeamMembers: "team_read",
  removeTeamMember: "team_write",
  createApiKey: "user_write",
  listApiKeys: "user_read",
  getApiKey: "user_read",
  deleteApiKey: "user_write",
  resetApiKey: "user_write",
  listVariables: "user_read",
};

/** The permission that each operation needs of a scoped key. */
const NEEDED: Record<Exclude<ServiceOperation, "getLogFile" | "listGpuNames">, Permission> = {
  ...ACCOUNT_NEEDS,
  searchOffers: "misc",
  createInstance: "instance_write",
  listInstances: "instance_read",
  getInstance: "instance_read",
  changeInstance: "instance_write",
  destroyInstance: "instance_write",
  currentUser: "user_read",
  listCharges: "billing_read",
  requestLogs: "instance_read",
  rebootInstance: "instance_write",
  recycleInstance: "instance_write",
  changeBid: "instance_write",
  attachSshKey: "instance_write",
  listInstanceSshKeys: "instance_read",
  detachSshKey: "instance_write",
  listInstanceFilters: "instance_read",
  searchVolumes: "misc",
  listVolumes: "instance_read",
  createVolume: "instance_write",
  deleteVolume: "instance_write",
  listSshKeys: "user_read",
  createSshKey: "user_write",
  changeSshKey: "user_write",
  deleteSshKey: "user_write",
};

/** A request, as far as a permission can depend on it. */
export interface Wish {
  operation: ServiceOperation;
  instanceId?: number | undefined;
  body?: unknown;
}

/** The terms of a right, beside who asks. */
export interface AccessTerms {
  dialect: Dialect;
  user: { readonly isBlacklisted: boolean };
  /** The status for a scoped key that lacks a permission: the seed names both. */
  missingPermissionStatus: 401 | 403;
}

/** Throws the 401, 403 or 404 that the service answers when the caller may not do this. */
export function authorize(caller: Caller, wish: Wish, terms: AccessTerms): void {
  const { operation } = wish;
  // The store of the logs looks at the address alone; the names of GPUs are for everybody.
  if (operation === "getLogFile" || operation === "listGpuNames") return;
  const dialect = wordsOf(operation, terms.dialect);
  refuseBlacklisted(caller, dialect, terms);
  switch (caller.kind) {
    case "account":
      return;
    case "scoped":
      if (!caller.scopes.includes(NEEDED[operation])) {
        throw lacking(dialect, NEEDED[operation], terms.missingPermissionStatus);
      }
      return;
    case "instance":
      if (!mayInstance(caller.instanceId, wish, terms.dialect)) throw lacking(dialect, NEEDED[operation], 403);
      return;
    case "anonymous":
      // The public search needs no key; the seed says that every endpoint does.
      if (dialect === "observed" && operation === "searchOffers") return;
      throw unauthorized(dialect, operation);
    case "invalid":
      throw unauthorized(dialect, operation);
  }
}

/** The dialect of an operation's refusals: the seed shows that of removing a team member. */
export function wordsOf(operation: ServiceOperation, dialect: Dialect): Dialect {
  return operation === "removeTeamMember" ? "seed" : dialect;
}

function refuseBlacklisted({ kind }: Caller, dialect: Dialect, { user }: AccessTerms): void {
  if (!user.isBlacklisted || kind === "anonymous" || kind === "invalid") return;
  const error = dialect === "seed" ? "forbidden" : "not_authorized";
  throw new Refusal(403, { error, msg: "The user is blacklisted." });
}

/** Seed: start, stop or destroy only that one instance. Observed: it may read it, too. */
function mayInstance(own: number, { operation, instanceId, body }: Wish, dialect: Dialect): boolean {
  if (instanceId !== own) return false;
  if (operation === "destroyInstance") return true;
  if (operation === "getInstance") return dialect === "observed";
  // SPEC-SILENT: whether an instance's key may change its label; "start, stop or destroy" says no.
  return operation === "changeInstance" && typeof body === "object" && body !== null && "state" in body;
}

function unauthorized(dialect: Dialect, operation: ServiceOperation): Refusal {
  if (dialect === "seed") return new Refusal(401, { error: "unauthorized", msg: "Invalid or missing API key." });
  // The service documents 404 for these with a bad key.
  const status = operation === "searchOffers" || operation === "listCharges" ? 404 : 401;
  return new Refusal(status, { error: "auth_error", msg: "Invalid user key" });
}

function lacking(dialect: Dialect, needed: Permission, status: 401 | 403): Refusal {
  const [onSeed, observed] = status === 403 ? ["forbidden", "not_authorized"] : ["unauthorized", "auth_error"];
  if (dialect === "seed") return new Refusal(status, { error: onSeed, msg: "The API key lacks permission." });
  return new Refusal(status, { error: observed, msg: `error ${status}/1150: API key lacks permission ${needed}.` });
}
