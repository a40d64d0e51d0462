// The operations of the service on all of an account but its instances, as one table to hold against
// the specification. The action needs none of them, so that this file is not in dist.

import { z } from "zod";
import { NotFoundError } from "../src/marketplace/errors.ts";
import type { FieldFilter } from "../src/marketplace/marketplace.ts";
import { done, endpoint, ifNotFound, once, reads } from "../src/marketplace/vast/endpoints.ts";
import {
  aNumber,
  apiKeySchema,
  maybeNumber,
  maybeString,
  type PermissionObject,
  readableRows,
  templateSchema,
  volumeSchema,
  type WireTemplate,
} from "../src/marketplace/vast/schemas.ts";
import { parseJson } from "../src/shared/json.ts";

const createdApiKeySchema = z.looseObject({
  id: aNumber,
  key: z.string().min(1),
  permissions: z.unknown().optional(),
});

export type CreatedApiKey = z.infer<typeof createdApiKeySchema>;

/** A key to make; without permissions it may do all. */
export interface NewApiKey {
  name: string;
  permissions?: PermissionObject;
}

/** A public key that may log in; the service calls its text `key` or `public_key`. */
const sshKeySchema = z
  .looseObject({ id: aNumber, key: maybeString, public_key: maybeString })
  .transform(({ id, key, public_key }) => ({ id, key: key ?? public_key ?? "" }));

export type SshKey = z.infer<typeof sshKeySchema>;

/** A template that was just made: its id is promised, too. */
const createdTemplateSchema = templateSchema.extend({ id: aNumber });

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

/** The changes of an edit; all that it leaves out stays. */
export type TemplateChanges = Partial<TemplateContent>;

/** What a template shows that is none of its content, all of which an edit has to send. */
const BESIDE_CONTENT = "id hash_id creator_id created_at count_created default_tag recent_create_date recommended";
const CONTENT_FIELDS = Object.keys({ ...templateSchema.shape, volume_info: {} }).filter(
  (field) => !BESIDE_CONTENT.split(" ").includes(field),
);

/** How to change an instance. SPEC-SILENT: `running` starts it again, and `label` renames it, as was seen. */
type InstanceChange = { state: "stopped" | "running" } | { label: string };

/** A volume to make: of which volume offer, and of how many GB. `name`: letters, digits and _, at most 64. */
export interface NewVolume {
  id: number;
  size: number;
  name?: string;
}

const editing = {
  ...once("edit template", "user_write", 3000),
  answer: z.looseObject({ template: templateSchema }).transform(({ template }) => template),
};

const sshKeyRows = readableRows(sshKeySchema);

/** The operations, each under the name that it has in the simulator. */
export const ACCOUNT_ENDPOINTS = {
  /** Specification, "Stop an instance". A second start could come after a stop that was sent meanwhile. */
  changeInstance: endpoint({
    ...once("stop, start or label an instance", "instance_write", 1000),
    request: (id: number, change: InstanceChange) => ({
      method: "PUT",
      path: `/api/v0/instances/${id}/`,
      body: change,
    }),
    answer: done,
  }),

  /** Specification, "Create template". */
  createTemplate: endpoint({
    ...once("create template", "user_write", 3000),
    request: (content: TemplateContent) => ({ method: "POST", path: "/api/v0/template/", body: content }),
    answer: z.looseObject({ template: createdTemplateSchema }).transform(({ template }) => template),
  }),

  /** Specification, "Edit template": the hash and the changes alone. */
  editTemplate: endpoint({
    ...editing,
    request: (hashId: string, changes: TemplateChanges) => ({
      method: "PUT",
      path: "/api/v0/template/",
      body: { hash_id: hashId, ...changes },
    }),
  }),

  /** The edit as the service has it today: id, hash and all content. Not in the specification. */
  editTemplateById: endpoint({
    ...editing,
    request: (old: WireTemplate, changes: TemplateChanges) => ({
      method: "PUT",
      path: "/api/v1/template/",
      body: {
        ...Object.fromEntries(CONTENT_FIELDS.map((field) => [field, old[field]])),
        ...changes,
        id: old.id,
        hash_id: old.hash_id,
      },
    }),
  }),

  /** Specification, "Delete template": a number is its id. A text is its hash, not in the specification. */
  deleteTemplate: endpoint({
    ...once("delete template", "user_write", 3000),
    request: (template: number | string) => ({
      method: "DELETE",
      path: "/api/v0/template/",
      body: typeof template === "number" ? { template_id: template } : { hash_id: template },
    }),
    answer: z.looseObject({ success: z.boolean().optional() }).transform(() => undefined),
  }),

  /** Specification, "Remove team member". SPEC-SILENT: its permission; this one the service documents elsewhere. */
  removeTeamMember: endpoint({
    ...once("remove team member", "team_write", 3000),
    request: (userId: number) => ({ method: "DELETE", path: `/api/v0/team/members/${userId}` }),
    answer: z.looseObject({ status: z.literal("success") }).transform(() => undefined),
  }),

  /** Not in the specification. An account without keys gets a 404, as a service without that address gives. */
  listSshKeys: endpoint({
    ...reads("list SSH keys", "user_read", 1000),
    request: () => ({ method: "GET", path: "/api/v0/ssh/" }),
    answer: sshKeyRows,
    refused: (error) => {
      if (error instanceof NotFoundError && /no ssh keys? found/i.test(error.sentence)) return [];
      throw error;
    },
  }),

  /** Not in the specification. */
  createSshKey: endpoint({
    ...once("create SSH key", "user_write", 1000),
    request: (publicKey: string) => ({ method: "POST", path: "/api/v0/ssh/", body: { ssh_key: publicKey } }),
    answer: z.looseObject({ key: sshKeySchema }).transform(({ key }) => key),
  }),

  /** Not in the specification. */
  deleteSshKey: endpoint({
    ...once("delete SSH key", "user_write", 1000),
    request: (id: number) => ({ method: "DELETE", path: `/api/v0/ssh/${id}/` }),
    answer: done,
  }),

  /** Not in the specification. The answer has the keys as JSON in a text. */
  listInstanceSshKeys: endpoint({
    ...reads("list an instance's SSH keys", "instance_read", 1000),
    request: (instanceId: number) => ({ method: "GET", path: `/api/v0/instances/${instanceId}/ssh/` }),
    answer: z.looseObject({ ssh_keys: z.unknown() }).transform(({ ssh_keys }, context) => {
      const read = sshKeyRows.safeParse(typeof ssh_keys === "string" ? parseJson(ssh_keys) : ssh_keys);
      if (read.success) return read.data;
      context.addIssue({ code: "custom", path: ["ssh_keys"], message: "is no list of keys" });
      return z.NEVER;
    }),
  }),

  /** Not in the specification. */
  attachSshKey: endpoint({
    ...once("attach SSH key", "instance_write", 1000),
    request: (instanceId: number, publicKey: string) => ({
      method: "POST",
      path: `/api/v0/instances/${instanceId}/ssh/`,
      body: { ssh_key: publicKey },
    }),
    answer: done,
  }),

  /** Not in the specification. */
  detachSshKey: endpoint({
    ...once("detach SSH key", "instance_write", 2000),
    request: (instanceId: number, keyId: number) => ({
      method: "DELETE",
      path: `/api/v0/instances/${instanceId}/ssh/${keyId}/`,
    }),
    answer: done,
  }),

  /** Not in the specification. */
  createApiKey: endpoint({
    ...once("create API key", "user_write", 2000),
    request: (wanted: NewApiKey) => ({ method: "POST", path: "/api/v0/auth/apikeys/", body: wanted }),
    answer: createdApiKeySchema,
    secret: ({ key }) => key,
  }),

  /** Not in the specification. */
  listApiKeys: endpoint({
    ...reads("list API keys", "user_read", 1000),
    request: () => ({ method: "GET", path: "/api/v0/auth/apikeys/" }),
    answer: z.looseObject({ apikeys: readableRows(apiKeySchema) }).transform(({ apikeys }) => apikeys),
  }),

  /** Not in the specification. The answer is a bare text. */
  deleteApiKey: endpoint({
    ...once("delete API key", "user_write", 2000),
    request: (id: number) => ({ method: "DELETE", path: `/api/v0/auth/apikeys/${id}/` }),
    answer: done,
  }),

  /** Not in the specification. */
  resetApiKey: endpoint({
    ...once("reset API key", "user_write", 2000),
    request: () => ({ method: "PUT", path: "/api/v0/commands/reset_apikey/", body: { client_id: "me" } }),
    answer: z.looseObject({ new_api_key: z.string().min(1) }).transform(({ new_api_key }) => new_api_key),
    secret: (key) => key,
  }),

  /** Room for volumes. Filters like those of a search for offers. Not in the specification. */
  searchVolumes: endpoint({
    ...reads("search volumes", "misc", 5500),
    request: (filters: Readonly<Record<string, FieldFilter>>) => ({
      method: "POST",
      path: "/api/v0/volumes/search/",
      body: filters,
    }),
    answer: z.looseObject({ offers: readableRows(volumeSchema) }).transform(({ offers }) => offers),
  }),

  /** Not in the specification. The answer has the volume's id, or its name `V.123`, as was seen. */
  createVolume: endpoint({
    ...once("create a volume", "instance_write", 5500),
    request: (volume: NewVolume) => ({ method: "PUT", path: "/api/v0/volumes/", body: volume }),
    answer: z
      .looseObject({ volume_id: maybeNumber, volume_name: maybeString })
      .transform(({ volume_id, volume_name = "" }) => {
        const named = /^V\.(\d+)$/.exec(volume_name)?.[1];
        return volume_id ?? (named === undefined ? undefined : Number(named));
      }),
  }),

  /** Not in the specification. The id goes in the query: that a DELETE's body arrives is nobody's promise. */
  deleteVolume: endpoint({
    ...once("delete a volume", "instance_write", 5500),
    request: (id: number) => ({ method: "DELETE", path: "/api/v0/volumes/", query: { id: String(id) } }),
    answer: z.unknown().transform((): "deleted" | "absent" => "deleted"),
    refused: ifNotFound("absent"),
  }),
} as const;
