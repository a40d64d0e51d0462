// The operations of the service on what an account has beside its instances, as one table. The
// action needs none of them.

import { z } from "zod";
import type { FieldFilter } from "../marketplace/marketplace.ts";
import { parseJson } from "../shared/json.ts";
import { type Endpoint, yes } from "./endpoints.ts";
import { aNumber, maybeNumber, maybeString, readableRows } from "./foreign.ts";
import { type ApiKey, apiKeySchema, type PermissionObject, type Template, templateSchema } from "./schemas.ts";

/** A key that was just made, with its secret. */
const createdApiKeySchema = z.looseObject({
  id: aNumber,
  key: z.string().min(1),
  permissions: z.unknown().optional(),
});

/** A key that was just made. */
export type CreatedApiKey = z.infer<typeof createdApiKeySchema>;

/** A public key that may log in; the service calls its text `key` or `public_key`. */
const sshKeySchema = z
  .looseObject({ id: aNumber, key: maybeString, public_key: maybeString })
  .transform(({ id, key, public_key }) => ({ id, key: key ?? public_key ?? "" }));

/** A public key that may log in. */
export type SshKey = z.infer<typeof sshKeySchema>;

/** A template that was just made: its id is promised, too. */
const createdTemplateSchema = templateSchema.extend({ id: aNumber });

/** A template that was just made. */
export type CreatedTemplate = z.infer<typeof createdTemplateSchema>;

/** A template's content, as it is created. Names, units and defaults as in the specification. */
export interface TemplateContent {
  name: string;
  /** Without its tag. */
  image: string;
  /** Default `latest`. */
  tag?: string;
  desc?: string;
  readme?: string;
  /** Docker's flags, `-e NAME=value -p 8000:8000`: not the object that *create instance* takes. */
  env?: string;
  onstart?: string;
  /** Default `args`. */
  runtype?: "ssh" | "jupyter" | "args";
  args_str?: string;
  ssh_direct?: boolean;
  use_ssh?: boolean;
  jup_direct?: boolean;
  jupyter_dir?: string | null;
  use_jupyter_lab?: boolean;
  /** The login of a private image: all three are there, empty without a login. Secrets. */
  docker_login_repo: string;
  docker_login_user: string;
  docker_login_pass: string;
  href?: string;
  repo?: string;
  extra_filters?: Readonly<Record<string, FieldFilter>>;
  /** GB, default 8. */
  recommended_disk_space?: number;
  private?: boolean;
  /** For the service's console alone; it makes no volume. */
  volume_info?: Readonly<Record<string, unknown>> | null;
}

/** The fields of a template's content. An edit has to send all of them. */
const CONTENT_FIELDS = [
  "name",
  "image",
  "tag",
  "desc",
  "readme",
  "env",
  "onstart",
  "runtype",
  "args_str",
  "ssh_direct",
  "use_ssh",
  "jup_direct",
  "jupyter_dir",
  "use_jupyter_lab",
  "docker_login_repo",
  "href",
  "repo",
  "extra_filters",
  "recommended_disk_space",
  "private",
  "volume_info",
] as const satisfies readonly (keyof TemplateContent)[];

/**
 * Seed: `state: "stopped"`. SPEC-SILENT: the other two; `running` starts it again, and a label is
 * changed like this, as was seen.
 */
export type InstanceChange = { state: "stopped" | "running" } | { label: string };

/** Seed, Stop an instance. A stopped one bills its disk. */
const changeInstance: Endpoint<{ id: number; change: InstanceChange }, true> = {
  operation: "stop, start or label an instance",
  method: "PUT",
  path: ({ id }) => `/api/v0/instances/${id}/`,
  body: ({ change }) => change,
  answer: yes,
  // A second start could come after a stop that was sent meanwhile.
  retry: "never",
  permission: "instance_write",
  intervalMs: 1000,
};

/** Seed, Create template. */
const createTemplate: Endpoint<TemplateContent, CreatedTemplate> = {
  operation: "create template",
  method: "POST",
  path: () => "/api/v0/template/",
  body: (content) => content,
  answer: z.looseObject({ template: createdTemplateSchema }).transform((body) => body.template),
  retry: "never",
  permission: "user_write",
  intervalMs: 3000,
};

/** The changes of an edit; all that it leaves out stays. */
export type TemplateChanges = Partial<TemplateContent>;

const editing = {
  operation: "edit template",
  method: "PUT",
  answer: z.looseObject({ template: templateSchema }).transform((body) => body.template),
  retry: "never",
  permission: "user_write",
  intervalMs: 3000,
} as const;

/** Seed, Edit template: the hash and the changes alone. */
const editTemplate: Endpoint<{ hashId: string; changes: TemplateChanges }, Template> = {
  ...editing,
  path: () => "/api/v0/template/",
  body: ({ hashId, changes }) => ({ hash_id: hashId, ...changes }),
};

/** The edit as the service has it today: id, hash and all content. Not in the specification. */
const editTemplateById: Endpoint<{ old: Template; changes: TemplateChanges }, Template> = {
  ...editing,
  path: () => "/api/v1/template/",
  body: ({ old, changes }) => ({
    ...Object.fromEntries(CONTENT_FIELDS.map((field) => [field, old[field]])),
    ...changes,
    id: old.id,
    hash_id: old.hash_id,
  }),
};

/** Seed, Delete template: a number is its id. A text is its hash, not in the specification. */
const deleteTemplate: Endpoint<number | string, true> = {
  operation: "delete template",
  method: "DELETE",
  path: () => "/api/v0/template/",
  body: (template) => (typeof template === "number" ? { template_id: template } : { hash_id: template }),
  answer: z.looseObject({ success: z.boolean().optional() }).transform(() => true as const),
  retry: "never",
  permission: "user_write",
  intervalMs: 3000,
};

/** Seed, Remove team member: by user id. Revokes the keys that came with the membership. */
const removeTeamMember: Endpoint<number, true> = {
  operation: "remove team member",
  method: "DELETE",
  path: (userId) => `/api/v0/team/members/${userId}`,
  answer: z.looseObject({ status: z.literal("success") }).transform(() => true as const),
  retry: "never",
  // SPEC-SILENT: which permission it needs; this is the one that the service documents elsewhere.
  permission: "team_write",
  intervalMs: 3000,
};

/** The account's public keys; with none the service answers 404. Not in the specification. */
const listSshKeys: Endpoint<undefined, SshKey[]> = {
  operation: "list SSH keys",
  method: "GET",
  path: () => "/api/v0/ssh/",
  answer: readableRows(sshKeySchema),
  retry: "read",
  permission: "user_read",
  intervalMs: 1000,
};

/** Registers a public key for instances created from then on. Not in the specification. */
const createSshKey: Endpoint<string, SshKey> = {
  operation: "create SSH key",
  method: "POST",
  path: () => "/api/v0/ssh/",
  body: (publicKey) => ({ ssh_key: publicKey }),
  answer: z.looseObject({ key: sshKeySchema }).transform(({ key }) => key),
  retry: "never",
  permission: "user_write",
  intervalMs: 1000,
};

/** Takes a public key off the account; instances that have it keep it. Not in the specification. */
const deleteSshKey: Endpoint<number, true> = {
  operation: "delete SSH key",
  method: "DELETE",
  path: (id) => `/api/v0/ssh/${id}/`,
  answer: yes,
  retry: "never",
  permission: "user_write",
  intervalMs: 1000,
};

const sshKeyRows = readableRows(sshKeySchema);

/** The public keys that may log in to an instance, as JSON in a text. Not in the specification. */
const listInstanceSshKeys: Endpoint<number, SshKey[]> = {
  operation: "list an instance's SSH keys",
  method: "GET",
  path: (id) => `/api/v0/instances/${id}/ssh/`,
  answer: z.looseObject({ ssh_keys: z.unknown() }).transform(({ ssh_keys }, context) => {
    const read = sshKeyRows.safeParse(typeof ssh_keys === "string" ? parseJson(ssh_keys) : ssh_keys);
    if (read.success) return read.data;
    context.addIssue({ code: "custom", path: ["ssh_keys"], message: "is no list of keys" });
    return z.NEVER;
  }),
  retry: "read",
  permission: "instance_read",
  intervalMs: 1000,
};

/** A public key and the instance that it is for. */
interface KeyForInstance {
  instanceId: number;
  publicKey: string;
}

/** Lets a public key log in to an instance. Not in the specification. */
const attachSshKey: Endpoint<KeyForInstance, true> = {
  operation: "attach SSH key",
  method: "POST",
  path: ({ instanceId }) => `/api/v0/instances/${instanceId}/ssh/`,
  body: ({ publicKey }) => ({ ssh_key: publicKey }),
  answer: yes,
  retry: "never",
  permission: "instance_write",
  intervalMs: 1000,
};

/** A key of an instance, both by their ids. */
interface KeyOfInstance {
  instanceId: number;
  keyId: number;
}

/** Lets a public key log in to an instance no more. Not in the specification. */
const detachSshKey: Endpoint<KeyOfInstance, true> = {
  operation: "detach SSH key",
  method: "DELETE",
  path: ({ instanceId, keyId }) => `/api/v0/instances/${instanceId}/ssh/${keyId}/`,
  answer: yes,
  retry: "never",
  permission: "instance_write",
  intervalMs: 2000,
};

/** A key that is to be made; without permissions it may do all. */
export interface NewApiKey {
  name: string;
  permissions?: PermissionObject;
}

/** Its answer is the only one that shows the secret. Not in the specification. */
const createApiKey: Endpoint<NewApiKey, CreatedApiKey> = {
  operation: "create API key",
  method: "POST",
  path: () => "/api/v0/auth/apikeys/",
  body: (wanted) => wanted,
  answer: createdApiKeySchema,
  retry: "never",
  permission: "user_write",
  intervalMs: 2000,
};

/** The account's keys that are not revoked. Not in the specification. */
const listApiKeys: Endpoint<undefined, ApiKey[]> = {
  operation: "list API keys",
  method: "GET",
  path: () => "/api/v0/auth/apikeys/",
  answer: z.looseObject({ apikeys: readableRows(apiKeySchema) }).transform((body) => body.apikeys),
  retry: "read",
  permission: "user_read",
  intervalMs: 1000,
};

/** Revokes a key; the answer is a bare text. Not in the specification. */
const deleteApiKey: Endpoint<number, true> = {
  operation: "delete API key",
  method: "DELETE",
  path: (id) => `/api/v0/auth/apikeys/${id}/`,
  answer: yes,
  retry: "never",
  permission: "user_write",
  intervalMs: 2000,
};

/** Gives the key that asks another secret, and brings it. Not in the specification. */
const resetApiKey: Endpoint<undefined, string> = {
  operation: "reset API key",
  method: "PUT",
  path: () => "/api/v0/commands/reset_apikey/",
  body: () => ({ client_id: "me" }),
  answer: z.looseObject({ new_api_key: z.string().min(1) }).transform((body) => body.new_api_key),
  retry: "never",
  permission: "user_write",
  intervalMs: 2000,
};

/** Of which volume offer, and of how many GB. `name`: letters, digits and _, at most 64. */
export interface NewVolume {
  id: number;
  size: number;
  name?: string;
}

/** The new volume's id; undefined when the answer does not tell it. */
const volumeAnswer = z
  .looseObject({ volume_id: maybeNumber, volume_name: maybeString })
  .transform(({ volume_id, volume_name }) => volume_id ?? idIn(volume_name));

/** Rents disk. Sent once and never again by itself. Not in the specification. */
const createVolume: Endpoint<NewVolume, number | undefined> = {
  operation: "create a volume",
  method: "PUT",
  path: () => "/api/v0/volumes/",
  body: (volume) => volume,
  answer: volumeAnswer,
  retry: "never",
  permission: "instance_write",
  intervalMs: 5500,
};

/** Seen: the answer names it `V.123`. */
function idIn(name: string | undefined): number | undefined {
  const id = /^V\.(\d+)$/.exec(name ?? "")?.[1];
  return id === undefined ? undefined : Number(id);
}

/**
 * Ends a volume and its bill. Not in the specification; its id goes in the query, as the service's
 * own client sends it: that a DELETE's body arrives is nobody's promise.
 */
const deleteVolume: Endpoint<number, true> = {
  operation: "delete a volume",
  method: "DELETE",
  path: () => "/api/v0/volumes/",
  query: (id) => ({ id: String(id) }),
  answer: yes,
  retry: "destroy",
  permission: "instance_write",
  intervalMs: 5500,
};

/** Each operation, under the same name as in the simulator. */
export const ACCOUNT_ENDPOINTS = {
  changeInstance,
  createTemplate,
  editTemplate,
  editTemplateById,
  deleteTemplate,
  removeTeamMember,
  listSshKeys,
  createSshKey,
  deleteSshKey,
  listInstanceSshKeys,
  attachSshKey,
  detachSshKey,
  createApiKey,
  listApiKeys,
  deleteApiKey,
  resetApiKey,
  createVolume,
  deleteVolume,
} as const;
