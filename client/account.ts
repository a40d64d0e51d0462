import { NotFoundError } from "../src/marketplace/errors.ts";
import type { CallOptions } from "../src/marketplace/marketplace.ts";
import type { TemplateFilters } from "../src/marketplace/vast/requests.ts";
import type { WireTemplate } from "../src/marketplace/vast/schemas.ts";
import { methodOf, ServiceClient } from "../src/marketplace/vast/service-client.ts";
import { ACCOUNT_ENDPOINTS as E, type TemplateChanges } from "./account-endpoints.ts";

/** The service's whole interface. By the specification there are no SSH keys, API keys and volumes: NotFoundError. */
export class AccountClient extends ServiceClient {
  /** Stops, starts or renames an instance, once. Throws NotFoundError if there is none. */
  readonly changeInstance = methodOf(this, E.changeInstance);

  /** Visible templates, and the account's own to change. */
  readonly templates = {
    /** Lists the templates for which all filters hold; without a filter, all visible ones. */
    search: (filters?: TemplateFilters, options?: CallOptions) => this.searchTemplates(filters, options),

    /** Stores a template. Storing the same content again may return the existing template. */
    create: methodOf(this, E.createTemplate),

    /** Changes the named fields of a template, which gets a new hash. Throws NotFoundError if there is none. */
    edit: (hashId: string, changes: TemplateChanges, options?: CallOptions) =>
      this.#editTemplate(hashId, changes, options),

    /** Deletes a template by its id; today's service takes the hash, too. Throws NotFoundError if there is none. */
    delete: methodOf(this, E.deleteTemplate),
  };

  /** The account's team. */
  readonly team = {
    /** Removes a member, and the keys of the membership. The owner can't be removed: RequestRejectedError. */
    remove: methodOf(this, E.removeTeamMember),
  };

  /** The public keys that may log in by SSH. */
  readonly sshKeys = {
    /** Lists the account's keys, which each new instance gets. */
    list: methodOf(this, E.listSshKeys),

    /** Registers a public key, a line as `ssh-keygen` writes it. Existing instances get it by `attach`. */
    create: methodOf(this, E.createSshKey),

    /** Takes a key off the account, not off instances. Throws RequestRejectedError (`no_ssh_key`) if there is none. */
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

    /** Gives this client's key a new secret and returns it. The old one, which this client keeps, is refused then. */
    reset: methodOf(this, E.resetApiKey),
  };

  /** The account's volumes. */
  readonly volumes = {
    /** Lists offers of room for volumes that meet all filters. */
    search: methodOf(this, E.searchVolumes),

    /** Lists the account's volumes. */
    list: this.listVolumes,

    /** Makes a volume, which bills from now on. Returns its id if the service shows it. */
    create: methodOf(this, E.createVolume),

    /** Deletes a volume, which ends its bill; `absent`: there is none. Refused while an instance uses it. */
    delete: methodOf(this, E.deleteVolume),
  };

  async #editTemplate(hashId: string, changes: TemplateChanges, options?: CallOptions): Promise<WireTemplate> {
    const old = await this.#findTemplate(hashId, options);
    try {
      if (old?.id !== undefined) return await this.call(E.editTemplateById, [old, changes], options);
    } catch (error) {
      // A service of the specification's letter has no such address.
      if (!(error instanceof NotFoundError)) throw error;
    }
    return await this.call(E.editTemplate, [hashId, changes], options);
  }

  /** Finds the account's own template: other people's can have the same content, and so the same hash. */
  async #findTemplate(hashId: string, options?: CallOptions): Promise<WireTemplate | undefined> {
    const found = await this.searchTemplates({ hash_id: { eq: hashId } }, options);
    if (found.length <= 1) return found[0];
    const { id } = await this.currentUser(options);
    return found.find(({ creator_id }) => creator_id === id);
  }
}
