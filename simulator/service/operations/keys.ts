import { z } from "zod";
import { PERMISSIONS, type Permission } from "../../scenario/fault.ts";
import type { ApiKey } from "../account/keys.ts";
import { newKey, type Store } from "../catalog/store.ts";
import type { SshKey } from "../rentals/instance-record.ts";
import { type Body, readAs } from "../requests/request-body.ts";
import { apiKeyRow, listedSshKey, madeSshKey, permissionObject } from "../rows.ts";
import { done, type Operation, type Operations, ok } from "../service-world.ts";
import { notSimulated, Refusal, refusal } from "../traffic/refusal.ts";

const CreateApiKeyBody = z.strictObject({
  name: z.string().min(1),
  permissions: z.unknown().optional(),
  key_params: z.unknown().optional(),
});
const Permissions = z.strictObject({ api: z.partialRecord(z.enum(PERMISSIONS), z.unknown()) });

/** Alone shows the secret. */
const createApiKey: Operation = ({ body }, { apiKeys }) => {
  const wanted = readAs(CreateApiKeyBody, body, "name is missing, or a field is not known");
  if (wanted.key_params !== undefined && wanted.key_params !== null) throw notSimulated("key_params");
  const { name, permissions } = wanted;
  const { id, key, scopes } = apiKeys.add({ name, key: newKey(), scopes: readScopes(permissions) });
  return ok({ id, key, permissions: permissionObject(scopes) });
};

/** SPEC-SILENT: a key without permissions; it has full access, the console's default. */
function readScopes(given: unknown): Permission[] | undefined {
  if (given === undefined || given === null) return undefined;
  const sentence = "permissions must be {api: {<permission>: {}}}, with permissions that there are";
  const { api } = readAs(Permissions, given, refusal(400, "invalid_permissions", sentence));
  const names = Object.keys(api) as Permission[];
  if (names.length === 0) throw refusal(400, "missing_permissions", "permissions is empty");
  if (Object.values(api).some((constraint) => JSON.stringify(constraint) !== "{}"))
    throw notSimulated("constraints of a permission");
  return names;
}

/** Answers a bare text. */
const deleteApiKey: Operation = ({ id }, { apiKeys }) => {
  const record = neededKey(apiKeys, id);
  if (record.isPrimary) throw new Refusal(400, { msg: "You cannot delete your primary key." });
  apiKeys.remove(record);
  return ok("Successfully Deleted API Key");
};

function neededKey(apiKeys: Store<ApiKey>, id: number): ApiKey {
  const record = apiKeys.find(id);
  if (!record) throw new Refusal(404, { msg: "API Key not found." });
  return record;
}

const ResetApiKeyBody = z.strictObject({ client_id: z.literal("me") });

/** SPEC-SILENT: which key is reset; the asker's, by the official client's help ("your api-key"). */
const resetApiKey: Operation = ({ body, caller }, { apiKeys }) => {
  readAs(ResetApiKeyBody, body, "client_id must be me");
  const record = "keyId" in caller && apiKeys.find(caller.keyId);
  if (!record) throw refusal(404, "not_found", "API Key not found.");
  record.key = newKey();
  return done({ new_api_key: record.key });
};

const SshKeyBody = z.looseObject({ ssh_key: z.string().regex(/^(ssh-(rsa|ed25519|dss)|ecdsa-sha2-\S+|sk-\S+) \S+/) });

/** SPEC-SILENT: whether the form of a key is checked; only that one must be there is known. */
function readSshKey(body: Body): string {
  return readAs(SshKeyBody, body, refusal(400, "no_ssh_key", "ssh_key must be a public key.")).ssh_key;
}

/** One of the account's; throws the 400, as described, for one that it does not have. */
function neededSshKey(sshKeys: Store<SshKey>, id: number): SshKey {
  const found = sshKeys.find(id);
  if (!found) throw refusal(400, "no_ssh_key", "No ssh key provided");
  return found;
}

const changeSshKey: Operation = ({ body, id }, { sshKeys }) => {
  const key = readSshKey(body);
  const found = neededSshKey(sshKeys, id);
  found.key = key;
  return done({ key: madeSshKey(found) });
};

const deleteSshKey: Operation = ({ id }, { sshKeys }) => {
  sshKeys.remove(neededSshKey(sshKeys, id));
  return done();
};

/** An array; with no key at all a 404, as was seen. */
const listSshKeys: Operation = (_call, { sshKeys }) => {
  if (sshKeys.all.length === 0) throw refusal(404, "not_found", "No SSH keys found for the user.");
  return ok(sshKeys.all.map(listedSshKey));
};

/** Lets a key log in; repeatable. */
const attachSshKey: Operation = ({ body, id }, { rentals, sshKeys, machines, clock }) => {
  const key = readSshKey(body);
  const record = rentals.need(id);
  // The account's own of this text; else one of its own, which the account does not get.
  const known = sshKeys.all.find((each) => each.key === key) ?? sshKeys.make({ key, createdAt: clock.now() });
  if (!record.sshKeys.some((each) => each.key === key)) record.sshKeys.push(known);
  machines?.allowSshKey?.(id, key);
  return done({ msg: "SSH key added to instance successfully." });
};

/** No more log-ins by it. */
const detachSshKey: Operation = ({ id, innerId }, { rentals, machines }) => {
  const record = rentals.need(id);
  const detached = record.sshKeys.find((each) => each.id === innerId);
  if (!detached) throw refusal(404, "no_such_ssh_key", `The instance has no SSH key ${innerId}.`);
  record.sshKeys.splice(record.sshKeys.indexOf(detached), 1);
  machines?.forbidSshKey?.(id, detached.key);
  return done({ msg: "SSH key removed from instance." });
};

/** Its keys, as JSON in a text. SPEC-SILENT: their fields; by the description's example, without a name. */
const listInstanceSshKeys: Operation = ({ id }, { rentals }) => {
  const keys = rentals.need(id).sshKeys.map(({ id: key_id, key }) => ({ id: key_id, public_key: key }));
  return done({ ssh_keys: JSON.stringify(keys) });
};

/** Keys of the account, of both kinds. None of these is shown in the specification. */
export const KEY_OPERATIONS: Operations = {
  observed: {
    ...{ createApiKey, deleteApiKey, resetApiKey },
    listApiKeys: (_call, { apiKeys }) => ok({ apikeys: apiKeys.all.map(apiKeyRow) }),
    // SPEC-SILENT: its answer; one description has a bare text, the key itself. Taken to be the row of the list.
    getApiKey: ({ id }, { apiKeys }) => ok(apiKeyRow(neededKey(apiKeys, id))),
    ...{ listSshKeys, changeSshKey, deleteSshKey, attachSshKey, listInstanceSshKeys, detachSshKey },
    createSshKey: ({ body }, { sshKeys, clock }) =>
      done({ key: madeSshKey(sshKeys.add({ key: readSshKey(body), createdAt: clock.now() })) }),
  },
};
