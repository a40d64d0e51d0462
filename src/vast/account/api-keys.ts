import { type CallOptions, type ContextOf, call } from "../call.ts";
import { createApiKey, type NewApiKey } from "../endpoints/create-api-key.ts";
import { deleteApiKey } from "../endpoints/delete-api-key.ts";
import { listApiKeys } from "../endpoints/list-api-keys.ts";
import { resetApiKey } from "../endpoints/reset-api-key.ts";
import type { ApiKey, CreatedApiKey } from "../schemas/api-key.ts";
import type { ServiceClient } from "../service-client.ts";

/**
 * The account's keys. Not in the specification: a service of its letter answers NotFoundError.
 * Methods throw as those of ServiceClient.
 */
export class ApiKeys {
  readonly #client: ServiceClient;
  readonly #context: ContextOf;
  readonly #mask: (secret: string) => void;

  constructor(client: ServiceClient, context: ContextOf, mask: (secret: string) => void) {
    this.#client = client;
    this.#context = context;
    this.#mask = mask;
  }

  /** Makes a key; nothing shows its secret again. */
  async create(wanted: NewApiKey, options?: CallOptions): Promise<CreatedApiKey> {
    const created = await call(createApiKey, wanted, this.#context(options));
    this.#mask(created.key);
    return created;
  }

  /** All keys that are not revoked, without their secrets. */
  list(options?: CallOptions): Promise<ApiKey[]> {
    return call(listApiKeys, undefined, this.#context(options));
  }

  /** One key; `permissionsOf` reads what it may do. */
  get(id: number, options?: CallOptions): Promise<ApiKey> {
    return this.#client.getApiKey(id, options);
  }

  /** Revokes a key. NotFoundError: there is none. */
  async delete(id: number, options?: CallOptions): Promise<void> {
    await call(deleteApiKey, id, this.#context(options));
  }

  /**
   * Gives this client's own key another secret, and brings it. The client goes on with the old one,
   * which is refused from then on.
   */
  async reset(options?: CallOptions): Promise<string> {
    const key = await call(resetApiKey, undefined, this.#context(options));
    this.#mask(key);
    return key;
  }
}
