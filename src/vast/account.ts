import { NotFoundError } from "../marketplace/errors.ts";
import type { CallOptions, FieldFilter } from "../marketplace/marketplace.ts";
import {
  ACCOUNT_ENDPOINTS,
  type CreatedApiKey,
  type CreatedTemplate,
  type InstanceChange,
  type NewApiKey,
  type NewVolume,
  type SshKey,
  type TemplateChanges,
  type TemplateContent,
} from "./account-endpoints.ts";
import { type ContextOf, call, contextOf } from "./call.ts";
import { Connection } from "./connection.ts";
import { ENDPOINTS } from "./endpoints.ts";
import type { TemplateFilters } from "./requests.ts";
import type { ApiKey, Template, Volume, VolumeOffer } from "./schemas.ts";
import { ServiceClient, type ServiceClientOptions } from "./service-client.ts";

/** Visible templates, and the account's own to change. Throws as ServiceClient does. */
class Templates {
  readonly #client: ServiceClient;
  readonly #context: ContextOf;

  constructor(client: ServiceClient, context: ContextOf) {
    this.#client = client;
    this.#context = context;
  }

  /**
   * Lists the templates for which all filters hold; without a filter, all visible ones. There is no
   * search by free text.
   */
  search(filters: TemplateFilters = {}, options?: CallOptions): Promise<Template[]> {
    return this.#client.searchTemplates(filters, options);
  }

  /** Stores a template. Storing the same content again may return the existing template. */
  create(content: TemplateContent, options?: CallOptions): Promise<CreatedTemplate> {
    return call(ACCOUNT_ENDPOINTS.createTemplate, content, this.#context(options));
  }

  /**
   * Changes the named fields of a template and keeps the others. The template gets a new hash,
   * which is in the answer; the old hash ends. Throws NotFoundError if no template has this hash.
   */
  async edit(hashId: string, changes: TemplateChanges, options?: CallOptions): Promise<Template> {
    const old = await this.#find(hashId, options);
    try {
      if (old?.id !== undefined)
        return await call(ACCOUNT_ENDPOINTS.editTemplateById, { old, changes }, this.#context(options));
    } catch (error) {
      // A service of the specification's letter has no such address.
      if (!(error instanceof NotFoundError)) throw error;
    }
    return await call(ACCOUNT_ENDPOINTS.editTemplate, { hashId, changes }, this.#context(options));
  }

  /**
   * Deletes a template by its numeric id; today's service takes the hash, too. Throws NotFoundError
   * if there is none.
   */
  async delete(template: number | string, options?: CallOptions): Promise<void> {
    await call(ACCOUNT_ENDPOINTS.deleteTemplate, template, this.#context(options));
  }

  /**
   * Finds the account's own template: the hash is made of the content, so that other people's
   * templates can share it.
   */
  async #find(hashId: string, options?: CallOptions): Promise<Template | undefined> {
    const found = await this.search({ hash_id: { eq: hashId } }, options);
    if (found.length <= 1) return found[0];
    const { id } = await call(ENDPOINTS.currentUser, undefined, this.#context(options));
    return found.find(({ creator_id }) => creator_id === id);
  }
}

/** The account's team. Its methods throw what ServiceClient's throw. */
class Team {
  readonly #context: ContextOf;

  constructor(context: ContextOf) {
    this.#context = context;
  }

  /**
   * Removes a member by user id, and the keys that came with the membership. Throws NotFoundError
   * if there is no such member (any more), RequestRejectedError for the owner, who can't be
   * removed.
   */
  async remove(userId: number, options?: CallOptions): Promise<void> {
    await call(ACCOUNT_ENDPOINTS.removeTeamMember, userId, this.#context(options));
  }
}

/**
 * Who may log in by SSH: the account's public keys, which each new instance gets, and those of one
 * instance. The specification has none of it: a service that keeps to it answers NotFoundError. The
 * methods throw what ServiceClient's throw.
 */
class SshKeys {
  readonly #context: ContextOf;

  constructor(context: ContextOf) {
    this.#context = context;
  }

  /** The account's keys. */
  list(options?: CallOptions): Promise<SshKey[]> {
    return call(ACCOUNT_ENDPOINTS.listSshKeys, undefined, this.#context(options)).catch(noneWhenSaidSo);
  }

  /**
   * Registers a public key, a line as `ssh-keygen` writes it. Existing instances don't get it: use
   * `attach` for them.
   */
  create(publicKey: string, options?: CallOptions): Promise<SshKey> {
    return call(ACCOUNT_ENDPOINTS.createSshKey, publicKey, this.#context(options));
  }

  /** Takes a key off the account. Throws RequestRejectedError (`no_ssh_key`) if there is none. */
  async delete(id: number, options?: CallOptions): Promise<void> {
    await call(ACCOUNT_ENDPOINTS.deleteSshKey, id, this.#context(options));
  }

  /** The keys that may log in to an instance. */
  ofInstance(instanceId: number, options?: CallOptions): Promise<SshKey[]> {
    return call(ACCOUNT_ENDPOINTS.listInstanceSshKeys, instanceId, this.#context(options));
  }

  /** Lets a public key log in to an instance. Throws NotFoundError if there is no such instance. */
  async attach(instanceId: number, publicKey: string, options?: CallOptions): Promise<void> {
    await call(ACCOUNT_ENDPOINTS.attachSshKey, { instanceId, publicKey }, this.#context(options));
  }

  /** Ends a key's log-ins to an instance. Throws NotFoundError if there is no such instance, or it lacks the key. */
  async detach(instanceId: number, keyId: number, options?: CallOptions): Promise<void> {
    await call(ACCOUNT_ENDPOINTS.detachSshKey, { instanceId, keyId }, this.#context(options));
  }
}

/**
 * Reads the 404 by which the service says that the account has no key; a service without that
 * address answers 404, too.
 */
function noneWhenSaidSo(error: unknown): SshKey[] {
  if (error instanceof NotFoundError && /no ssh keys? found/i.test(error.sentence ?? "")) return [];
  throw error;
}

/**
 * The account's API keys. The specification has none of it: a service that keeps to it answers
 * NotFoundError. The methods throw what ServiceClient's throw.
 */
class ApiKeys {
  readonly #client: ServiceClient;
  readonly #context: ContextOf;
  readonly #mask: (secret: string) => void;

  constructor(client: ServiceClient, context: ContextOf, mask: (secret: string) => void) {
    this.#client = client;
    this.#context = context;
    this.#mask = mask;
  }

  /** Makes a key. The answer is the only one that shows its secret. */
  async create(wanted: NewApiKey, options?: CallOptions): Promise<CreatedApiKey> {
    const created = await call(ACCOUNT_ENDPOINTS.createApiKey, wanted, this.#context(options));
    this.#mask(created.key);
    return created;
  }

  /** All keys that are not revoked, without their secrets. */
  list(options?: CallOptions): Promise<ApiKey[]> {
    return call(ACCOUNT_ENDPOINTS.listApiKeys, undefined, this.#context(options));
  }

  /** One key; `permissionsOf` reads what it may do. */
  get(id: number, options?: CallOptions): Promise<ApiKey> {
    return this.#client.getApiKey(id, options);
  }

  /** Revokes a key. Throws NotFoundError if there is none. */
  async delete(id: number, options?: CallOptions): Promise<void> {
    await call(ACCOUNT_ENDPOINTS.deleteApiKey, id, this.#context(options));
  }

  /**
   * Gives this client's own key a new secret and returns it. This client goes on with the old
   * secret, which is refused from then on.
   */
  async reset(options?: CallOptions): Promise<string> {
    const key = await call(ACCOUNT_ENDPOINTS.resetApiKey, undefined, this.#context(options));
    this.#mask(key);
    return key;
  }
}

/**
 * Volumes. The specification names them only in the body of *create instance*: a service that keeps
 * to it answers NotFoundError to all of these methods. They throw what ServiceClient's throw.
 */
class VolumeCalls {
  readonly #client: ServiceClient;
  readonly #context: ContextOf;

  constructor(client: ServiceClient, context: ContextOf) {
    this.#client = client;
    this.#context = context;
  }

  /** Room for volumes that meets all filters. */
  search(filters: Readonly<Record<string, FieldFilter>>, options?: CallOptions): Promise<VolumeOffer[]> {
    return this.#client.searchVolumes(filters, options);
  }

  /** The account's volumes. */
  list(options?: CallOptions): Promise<Volume[]> {
    return this.#client.listVolumes(options);
  }

  /** Makes a volume, which bills from now on. Returns its id if the service tells it. */
  create(volume: NewVolume, options?: CallOptions): Promise<number | undefined> {
    return call(ACCOUNT_ENDPOINTS.createVolume, volume, this.#context(options));
  }

  /**
   * Deletes a volume and so ends its bill; `absent` means that there is none. The service refuses
   * while an instance uses the volume.
   */
  async delete(id: number, options?: CallOptions): Promise<"deleted" | "absent"> {
    try {
      await call(ACCOUNT_ENDPOINTS.deleteVolume, id, this.#context(options));
      return "deleted";
    } catch (error) {
      if (error instanceof NotFoundError && error.isOwnWord) return "absent";
      throw error;
    }
  }
}

/**
 * All of the service's interface: renting, and what an account has beside its instances. The action
 * itself uses only the first.
 */
export class AccountClient extends ServiceClient {
  readonly templates: Templates;
  readonly apiKeys: ApiKeys;
  readonly team: Team;
  readonly sshKeys: SshKeys;
  readonly volumes: VolumeCalls;
  readonly #context: ContextOf;

  constructor(options: ServiceClientOptions, connection: Connection = new Connection(options)) {
    super(options, connection);
    this.#context = contextOf(options, connection);
    this.templates = new Templates(this, this.#context);
    this.apiKeys = new ApiKeys(this, this.#context, options.mask ?? (() => {}));
    this.team = new Team(this.#context);
    this.sshKeys = new SshKeys(this.#context);
    this.volumes = new VolumeCalls(this, this.#context);
  }

  /** Stops, starts or renames an instance, once. Throws NotFoundError when there is none. */
  async changeInstance(id: number, change: InstanceChange, options?: CallOptions): Promise<void> {
    await call(ACCOUNT_ENDPOINTS.changeInstance, { id, change }, this.#context(options));
  }
}
