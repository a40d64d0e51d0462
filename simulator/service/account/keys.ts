import { OPERATIONS, type Permission, type ServiceOperation } from "../../scenario/fault.ts";
import { destruction, type InstanceRecord } from "../rentals/instance-record.ts";
import { type Dialect, type Refusal, refusal } from "../traffic/refusal.ts";

/** A key of the account. */
export interface ApiKey {
  readonly id: number;
  readonly name: string;
  /** The secret. */
  key: string;
  /** Undefined: full access. */
  readonly scopes?: readonly Permission[] | undefined;
  /** The user that got it as a member of the team; it dies with the membership. */
  readonly member?: number | undefined;
  /** The account's first key, which can't be deleted. */
  readonly isPrimary?: boolean;
}

/** Who asks, as the key of the request tells. */
export type Caller =
  | { kind: "account"; keyId: number }
  | { kind: "scoped"; keyId: number; scopes: readonly Permission[] }
  | { kind: "instance"; instanceId: number }
  | { kind: "anonymous" }
  | { kind: "invalid" };

/** Tells from an Authorization header who asks; the scheme is bearer. */
export function identify(header: string | undefined, apiKeys: ApiKey[], instances: InstanceRecord[]): Caller {
  if (header === undefined) return { kind: "anonymous" };
  const key = /^Bearer +(\S+) *$/i.exec(header)?.[1];
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
  instanceId: number;
  body: unknown;
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
  // The public search needs no key; the seed says that every endpoint does.
  const isPublic = operation === "searchOffers" && dialect === "observed";
  if (needs === null || (caller.kind === "anonymous" && isPublic)) return;
  if (caller.kind === "anonymous" || caller.kind === "invalid") throw unauthorized(dialect, operation);
  if (terms.user.blacklisted) throw denied(403, dialect, "The user is blacklisted.");
  if (mayDo(caller, wish, { needs, dialect })) return;
  const status = caller.kind === "instance" ? 403 : terms.missingPermissionStatus;
  const sentence = `error ${status}/1150: API key lacks permission ${needs}.`;
  throw denied(status, dialect, dialect === "seed" ? "The API key lacks permission." : sentence);
}

function mayDo(caller: Caller, wish: Wish, { needs, dialect }: { needs: Permission; dialect: Dialect }): boolean {
  if (caller.kind === "instance") return mayInstance(caller.instanceId, wish, dialect);
  return caller.kind !== "scoped" || caller.scopes.includes(needs);
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

/** The service's word for each status. */
const WORDS = {
  401: { seed: "unauthorized", observed: "auth_error" },
  403: { seed: "forbidden", observed: "not_authorized" },
};

function denied(status: 401 | 403, dialect: Dialect, msg: string): Refusal {
  return refusal(status, WORDS[status][dialect], msg);
}

function unauthorized(dialect: Dialect, operation: ServiceOperation): Refusal {
  if (dialect === "seed") return denied(401, dialect, "Invalid or missing API key.");
  // The service documents 404 for these with a bad key.
  const is404 = operation === "searchOffers" || operation === "listCharges";
  return refusal(is404 ? 404 : 401, WORDS[401].observed, "Invalid user key");
}
