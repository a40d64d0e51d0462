import { OPERATIONS, type Permission, type ServiceOperation } from "../../scenario/fault.ts";
import { destruction, type InstanceRecord } from "../rentals/instance-record.ts";
import { type Dialect, type Refusal, refusal } from "../traffic/refusal.ts";
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

/** Tells from an Authorization header who asks; the scheme is bearer. */
export function identify(header: string | undefined, apiKeys: ApiKeys, instances: readonly InstanceRecord[]): Caller {
  if (header === undefined) return { kind: "anonymous" };
  const key = /^Bearer +(\S+) *$/i.exec(header)?.[1];
  if (key === undefined) return { kind: "invalid" };
  const known = apiKeys.find((each) => each.key === key);
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

/** A request, as far as a permission can depend on it. */
interface Wish {
  operation: ServiceOperation;
  instanceId?: number | undefined;
  body?: unknown;
}

/** The terms of a right, beside who asks. */
interface AccessTerms {
  dialect: Dialect;
  user: { readonly blacklisted: boolean };
  /** The status for a scoped key that lacks a permission: the seed names both. */
  missingPermissionStatus: 401 | 403;
}

/** Throws the 401, 403 or 404 that the service answers when the caller may not do this. */
export function authorize(caller: Caller, wish: Wish, terms: AccessTerms): void {
  const { operation } = wish;
  const { needs } = OPERATIONS[operation];
  const dialect = wordsOf(operation, terms.dialect);
  if (needs === null || (caller.kind === "anonymous" && isPublic(operation, dialect))) return;
  if (caller.kind === "anonymous" || caller.kind === "invalid") throw unauthorized(dialect, operation);
  if (terms.user.blacklisted) throw blacklisted(dialect);
  if (!mayDo(caller, wish, dialect))
    throw lacking(dialect, needs, caller.kind === "instance" ? 403 : terms.missingPermissionStatus);
}

function mayDo(caller: Caller, wish: Wish, dialect: Dialect): boolean {
  if (caller.kind === "instance") return mayInstance(caller.instanceId, wish, dialect);
  const { needs } = OPERATIONS[wish.operation];
  return caller.kind !== "scoped" || needs === null || caller.scopes.includes(needs);
}

/** The public search needs no key; the seed says that every endpoint does. */
function isPublic(operation: ServiceOperation, dialect: Dialect): boolean {
  return dialect === "observed" && operation === "searchOffers";
}

/** The dialect of an operation's refusals: the seed shows that of removing a team member. */
export function wordsOf(operation: ServiceOperation, dialect: Dialect): Dialect {
  return operation === "removeTeamMember" ? "seed" : dialect;
}

/** Seed: start, stop or destroy only that one instance. Observed: it may read it, too. */
function mayInstance(own: number, { operation, instanceId, body }: Wish, dialect: Dialect): boolean {
  if (instanceId !== own) return false;
  if (operation === "destroyInstance") return true;
  if (operation === "getInstance") return dialect === "observed";
  // SPEC-SILENT: whether an instance's key may change its label; "start, stop or destroy" says no.
  return operation === "changeInstance" && typeof body === "object" && body !== null && "state" in body;
}

function blacklisted(dialect: Dialect): Refusal {
  return refusal(403, dialect === "seed" ? "forbidden" : "not_authorized", "The user is blacklisted.");
}

function unauthorized(dialect: Dialect, operation: ServiceOperation): Refusal {
  if (dialect === "seed") return refusal(401, "unauthorized", "Invalid or missing API key.");
  // The service documents 404 for these with a bad key.
  const status = operation === "searchOffers" || operation === "listCharges" ? 404 : 401;
  return refusal(status, "auth_error", "Invalid user key");
}

function lacking(dialect: Dialect, needed: Permission, status: 401 | 403): Refusal {
  const [onSeed, observed] = status === 403 ? ["forbidden", "not_authorized"] : ["unauthorized", "auth_error"];
  if (dialect === "seed") return refusal(status, onSeed, "The API key lacks permission.");
  return refusal(status, observed, `error ${status}/1150: API key lacks permission ${needed}.`);
}
