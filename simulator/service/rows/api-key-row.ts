import { ACCOUNT_ID } from "../../scenario/team.ts";
import type { ApiKeyRecord } from "../account/api-keys.ts";

/** The permission object of a key: `{api: {<permission>: {}}}`; false where the key may do all. */
export function permissionObject(scopes: ApiKeyRecord["scopes"]) {
  return scopes === undefined ? false : { api: Object.fromEntries(scopes.map((scope) => [scope, {}])) };
}

/** The account's team. */
const TEAM = { team_id: ACCOUNT_ID, team_name: "ci", team_owner: true };

/**
 * A key as shown, without its secret. SPEC-SILENT: the columns of its permissions; here
 * `permissions` as an object, and `rights` as the text that the vendor describes.
 */
export function apiKeyRow({ id, name, scopes, member, kind }: ApiKeyRecord) {
  const permissions = permissionObject(scopes);
  const user_id = member ?? ACCOUNT_ID;
  const key_type = kind === "primary" ? "primary" : "api";
  return { id, user_id, key: null, key_type, name, permissions, rights: scopes?.join(" ") ?? "all", ...TEAM };
}
