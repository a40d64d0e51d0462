import { z } from "zod";
import { PERMISSIONS, type Permission } from "../../scenario/fault.ts";
import { missingInstance } from "../rentals/instance-record.ts";
import { missingSshKey, readSshKey } from "../requests/request-body.ts";
import { apiKeyRow, listedSshKey, madeSshKey, permissionObject } from "../rows.ts";
import type { Operation } from "../service-world.ts";
import { NotSimulated, notInTheSeed, Refusal, ShapedRefusal, unknownPath } from "../traffic/refusal.ts";

/** `POST /api/v0/instances/{instance_id}/ssh/`: not in the seed. Lets a key log in; repeatable. */
export const attachSshKey: Operation = ({ body, id }, { dialect, rentals, sshKeys, machines }) => {
  notInTheSeed(dialect);
  const key = readSshKey(body);
  const record = rentals.find(id);
  if (!record) throw missingInstance(id, dialect);
  if (!record.sshKeys.some((each) => each.key === key)) record.sshKeys.push(sshKeys.known(key));
  machines?.allowSshKey?.(id, key);
  return { status: 200, body: { success: true, msg: "SSH key added to instance successfully." } };
};

/** `PUT /api/v0/ssh/{id}/`: not in the seed. */
export const changeSshKey: Operation = ({ body, id }, { dialect, sshKeys }) => {
  notInTheSeed(dialect);
  const key = readSshKey(body);
  const found = sshKeys.find(id);
  if (!found) throw missingSshKey();
  found.key = key;
  return { status: 200, body: { success: true, key: madeSshKey(found) } };
};

const CreateApiKeyBody = z.strictObject({
  name: z.string().min(1),
  permissions: z.unknown().optional(),
  key_params: z.unknown().optional(),
});
const Permissions = z.strictObject({ api: z.record(z.string(), z.unknown()) });

/** `POST /api/v0/auth/apikeys/`: alone shows the secret. Not shown in the specification. */
export const createApiKey: Operation = ({ body }, { dialect, apiKeys }) => {
  if (dialect === "seed") throw unknownPath();
  const wanted = CreateApiKeyBody.safeParse(body).data;
  if (!wanted) throw new Refusal(400, { error: "invalid_args", msg: "name is missing, or a field is not known" });
  if (wanted.key_params !== undefined && wanted.key_params !== null) throw new NotSimulated("key_params");
  const { id, key, scopes } = apiKeys.add({ name: wanted.name, scopes: readScopes(wanted.permissions) });
  return { status: 200, body: { id, key, permissions: permissionObject(scopes) } };
};

/** SPEC-SILENT: a key without permissions; it has full access, the console's default. */
function readScopes(given: unknown): Permission[] | undefined {
  if (given === undefined || given === null) return undefined;
  const { api } = Permissions.safeParse(given).data ?? {};
  if (api === undefined) throw invalid("permissions must be {api: {<permission>: {}}}");
  const names = Object.keys(api);
  if (names.length === 0) throw new Refusal(400, { error: "missing_permissions", msg: "permissions is empty" });
  const unknown = names.find((name) => !isPermission(name));
  if (unknown !== undefined) throw invalid(`${unknown} is no permission`);
  if (Object.values(api).some((constraint) => JSON.stringify(constraint) !== "{}")) {
    throw new NotSimulated("constraints of a permission");
  }
  return names.filter(isPermission);
}

function isPermission(name: string): name is Permission {
  return (PERMISSIONS as readonly string[]).includes(name);
}

function invalid(msg: string): Refusal {
  return new Refusal(400, { error: "invalid_permissions", msg });
}

/** `POST /api/v0/ssh/`: not in the seed. */
export const createSshKey: Operation = ({ body }, { dialect, sshKeys }) => {
  notInTheSeed(dialect);
  return { status: 200, body: { success: true, key: madeSshKey(sshKeys.add(readSshKey(body))) } };
};

/** `DELETE /api/v0/auth/apikeys/{id}/`: answers a bare text. Not shown in the specification. */
export const deleteApiKey: Operation = ({ id }, { dialect, apiKeys }) => {
  if (dialect === "seed") throw unknownPath();
  const record = apiKeys.byId(id);
  if (!record) throw new ShapedRefusal(404, { msg: "API Key not found." });
  if (record.kind === "primary") throw new ShapedRefusal(400, { msg: "You cannot delete your primary key." });
  record.isDeleted = true;
  return { status: 200, body: "Successfully Deleted API Key" };
};

/** `DELETE /api/v0/ssh/{id}/`: not in the seed. */
export const deleteSshKey: Operation = ({ id }, { dialect, sshKeys }) => {
  notInTheSeed(dialect);
  if (!sshKeys.find(id)) throw missingSshKey();
  sshKeys.remove(id);
  return { status: 200, body: { success: true } };
};

/** `DELETE /api/v0/instances/{instance_id}/ssh/{ssh_key_id}/`: not in the seed. No more log-ins. */
export const detachSshKey: Operation = ({ id, innerId }, { dialect, rentals, machines }) => {
  notInTheSeed(dialect);
  const record = rentals.find(id);
  if (!record) throw missingInstance(id, dialect);
  const index = record.sshKeys.findIndex((each) => each.id === innerId);
  const [detached] = index < 0 ? [] : record.sshKeys.splice(index, 1);
  if (!detached) throw new Refusal(404, { error: "no_such_ssh_key", msg: `The instance has no SSH key ${innerId}.` });
  machines?.forbidSshKey?.(id, detached.key);
  return { status: 200, body: { success: true, msg: "SSH key removed from instance." } };
};

/**
 * `GET /api/v0/auth/apikeys/{id}/`: not shown in the specification. SPEC-SILENT: its answer; one
 * description has a bare text, the key itself. Taken to be the row of the list.
 */
export const getApiKey: Operation = ({ id }, { dialect, apiKeys }) => {
  if (dialect === "seed") throw unknownPath();
  const record = apiKeys.byId(id);
  if (!record) throw new ShapedRefusal(404, { msg: "API Key not found." });
  return { status: 200, body: apiKeyRow(record) };
};

/** `GET /api/v0/auth/apikeys/`: living ones, no secrets. Not shown in the specification. */
export const listApiKeys: Operation = (_call, { dialect, apiKeys }) => {
  if (dialect === "seed") throw unknownPath();
  return { status: 200, body: { apikeys: apiKeys.records.filter(({ isDeleted }) => !isDeleted).map(apiKeyRow) } };
};

/** `GET /api/v0/instances/{instance_id}/ssh/`: not in the seed. Its keys, as JSON in a text. */
export const listInstanceSshKeys: Operation = ({ id }, { dialect, rentals }) => {
  notInTheSeed(dialect);
  const record = rentals.find(id);
  if (!record) throw missingInstance(id, dialect);
  // SPEC-SILENT: the fields; by the description's example, without a name.
  const keys = record.sshKeys.map(({ id: key_id, key }) => ({ id: key_id, public_key: key }));
  return { status: 200, body: { success: true, ssh_keys: JSON.stringify(keys) } };
};

/** `GET /api/v0/ssh/`: not in the seed. An array; with no key at all a 404, as was seen. */
export const listSshKeys: Operation = (_call, { dialect, sshKeys }) => {
  notInTheSeed(dialect);
  const keys = sshKeys.all();
  if (keys.length === 0) throw new Refusal(404, { error: "not_found", msg: "No SSH keys found for the user." });
  return { status: 200, body: keys.map(listedSshKey) };
};

const ResetApiKeyBody = z.strictObject({ client_id: z.literal("me") });

/** `PUT /api/v0/commands/reset_apikey/`: not shown in the specification. */
export const resetApiKey: Operation = ({ body, caller }, { dialect, apiKeys }) => {
  if (dialect === "seed") throw unknownPath();
  if (!ResetApiKeyBody.safeParse(body).success)
    throw new Refusal(400, { error: "invalid_args", msg: "client_id must be me" });
  // SPEC-SILENT: which key is reset; the asker's, by the official client's help ("your api-key").
  const record = "keyId" in caller ? apiKeys.byId(caller.keyId) : undefined;
  if (!record) throw new Refusal(404, { error: "not_found", msg: "API Key not found." });
  return { status: 200, body: { success: true, new_api_key: apiKeys.reset(record) } };
};
