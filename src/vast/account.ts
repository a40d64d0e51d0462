// What an account has beside its instances: templates, keys, team and volumes. The action needs
// none of it, so that this file is not in dist.

import { z } from "zod";
import { NotFoundError } from "../marketplace/errors.ts";
import type { CallOptions, FieldFilter } from "../marketplace/marketplace.ts";
import { parseJson } from "../shared/json.ts";
import { done, endpoint, ifNotFound, once, reads } from "./endpoints.ts";
import type { TemplateFilters } from "./requests.ts";
import {
  aNumber,
  apiKeySchema,
  maybeNumber,
  maybeString,
  type PermissionObject,
  readableRows,
  type Template,
  templateSchema,
} from "./schemas.ts";
import { methodOf, ServiceClient } from "./service-client.ts";

/** A key that was just made, with its secret. */
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
 * How to change an instance. The specification has `state: "stopped"` alone.
 * SPEC-SILENT: `running` starts the instance again, and `label` renames it, as was seen.
 */
type InstanceChange = { state: "stopped" | "running" } | { label: string };

/** A volume to make: of which volume offer, and of how many GB. `name`: letters, digits and _, at most 64. */
interface NewVolume {
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
    request: (old: Template, changes: TemplateChanges) => ({
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

  /**
   * Not in the specification. The id goes in the query, as the service's own client sends it: that a
   * DELETE's body arrives is nobody's promise.
   */
  deleteVolume: endpoint({
    ...once("delete a volume", "instance_write", 5500),
    request: (id: number) => ({ method: "DELETE", path: "/api/v0/volumes/", query: { id: String(id) } }),
    answer: z.unknown().transform((): "deleted" | "absent" => "deleted"),
    refused: ifNotFound("absent"),
  }),
} as const;

const E = ACCOUNT_ENDPOINTS;

/**
 * All of the service's interface: renting, and what an account has beside its instances. The action
 * itself uses only the first. A service that keeps to the specification answers NotFoundError to what
 * the specification lacks: SSH keys, API keys and volumes.
 */
export class AccountClient extends ServiceClient {
  /** Stops, starts or renames an instance, once. Throws NotFoundError if there is none. */
  readonly changeInstance = methodOf(this, E.changeInstance);

  /** Visible templates, and the account's own to change. */
  readonly templates = {
    /** Lists the templates for which all filters hold; without a filter, all visible ones. */
    search: (filters?: TemplateFilters, options?: CallOptions) => this.searchTemplates(filters, options),

    /** Stores a template. Storing the same content again may return the existing template. */
    create: methodOf(this, E.createTemplate),

    /**
     * Changes the named fields of a template and keeps the others. The template gets a new hash,
     * which is in the answer; the old hash ends. Throws NotFoundError if no template has this hash.
     */
    edit: (hashId: string, changes: TemplateChanges, options?: CallOptions) =>
      this.#editTemplate(hashId, changes, options),

    /**
     * Deletes a template by its numeric id; today's service takes the hash, too. Throws NotFoundError
     * if there is none.
     */
    delete: methodOf(this, E.deleteTemplate),
  };

  /** The account's team. */
  readonly team = {
    /**
     * Removes a member by user id, and the keys that came with the membership. Throws NotFoundError
     * if there is no such member (any more), RequestRejectedError for the owner, who can't be removed.
     */
    remove: methodOf(this, E.removeTeamMember),
  };

  /** The public keys that may log in by SSH. */
  readonly sshKeys = {
    /** Lists the account's keys, which each new instance gets. */
    list: methodOf(this, E.listSshKeys),

    /**
     * Registers a public key, a line as `ssh-keygen` writes it. Existing instances don't get it: use
     * `attach` for them.
     */
    create: methodOf(this, E.createSshKey),

    /**
     * Takes a key off the account; instances that have it keep it. Throws RequestRejectedError
     * (`no_ssh_key`) if there is none.
     */
    delete: methodOf(this, E.deleteSshKey),

    /** Lists the keys that may log in to one instance. */
    ofInstance: methodOf(this, E.listInstanceSshKeys),

    /** Lets a public key log in to an instance. Throws NotFoundError if there is no such instance. */
    attach: methodOf(this, E.attachSshKey),

    /** Ends a key's log-ins to an instance. Throws NotFoundError if there is no such instance, or it lacks the key. */
    detach: methodOf(this, E.detachSshKey),
  };

  /** The account's API keys. */
  readonly apiKeys = {
    /** Makes a key. The answer is the only one that shows its secret. */
    create: methodOf(this, E.createApiKey),

    /** Lists the keys that are not revoked, without their secrets. */
    list: methodOf(this, E.listApiKeys),

    /** Looks at one key; `permissionsOf` reads what it may do. */
    get: (id: number, options?: CallOptions) => this.getApiKey(id, options),

    /** Revokes a key. Throws NotFoundError if there is none. */
    delete: methodOf(this, E.deleteApiKey),

    /**
     * Gives this client's own key a new secret and returns it. This client goes on with the old
     * secret, which is refused from then on.
     */
    reset: methodOf(this, E.resetApiKey),
  };

  /** The account's volumes. */
  readonly volumes = {
    /** Lists offers of room for volumes that meet all filters. */
    search: this.searchVolumes,

    /** Lists the account's volumes. */
    list: this.listVolumes,

    /** Makes a volume, which bills from now on. Returns its id if the service tells it. */
    create: methodOf(this, E.createVolume),

    /**
     * Deletes a volume and so ends its bill; `absent` means that there is none. The service refuses
     * while an instance uses the volume.
     */
    delete: methodOf(this, E.deleteVolume),
  };

  async #editTemplate(hashId: string, changes: TemplateChanges, options?: CallOptions): Promise<Template> {
    const old = await this.#findTemplate(hashId, options);
    try {
      if (old?.id !== undefined) return await this.call(E.editTemplateById, [old, changes], options);
    } catch (error) {
      // A service of the specification's letter has no such address.
      if (!(error instanceof NotFoundError)) throw error;
    }
    return await this.call(E.editTemplate, [hashId, changes], options);
  }

  /**
   * Finds the account's own template: the hash is made of the content, so that other people's
   * templates can share it.
   */
  async #findTemplate(hashId: string, options?: CallOptions): Promise<Template | undefined> {
    const found = await this.searchTemplates({ hash_id: { eq: hashId } }, options);
    if (found.length <= 1) return found[0];
    const { id } = await this.currentUser(options);
    return found.find(({ creator_id }) => creator_id === id);
  }
}
