import { ACCOUNT_ID } from "../../scenario/team.ts";
import type { ApiKeyRecord } from "../account/api-keys.ts";

/** The permission object of a key: `{api: {<permission>: {}}}`; false where the key may do all. */
export function permissionObject(scopes: ApiKeyRecord["scopes"]) {
  return scopes === undefined ? false : { api: Object.fromEntries(scopes.map((scope) => [scope, {}])) };
}

/**
 * A key as shown, without its secret. SPEC-SILENT: the columns of its permissions; here
 * `permissions` and `rights`.
 */
export function apiKeyRow({ id, name, scopes, member, kind }: ApiKeyRecord) {
  const permissions = permissionObject(scopes);
  const team = { team_id: member === undefined ? null : ACCOUNT_ID, team_name: null, team_owner: null };
  const user_id = member ?? ACCOUNT_ID;
  const key_type = kind === "primary" ? "primary" : "api";
  return { id, user_id, key: null, key_type, name, permissions, rights: permissions, ...team };
}
