import { type CallContext, call, type Limits } from "./call.ts";
import { createApiKey, type NewApiKey } from "./endpoints/create-api-key.ts";
import { deleteApiKey } from "./endpoints/delete-api-key.ts";
import { getApiKey } from "./endpoints/get-api-key.ts";
import { listApiKeys } from "./endpoints/list-api-keys.ts";
import { resetApiKey } from "./endpoints/reset-api-key.ts";
import type { ApiKey, CreatedApiKey } from "./schemas/api-key.ts";

type Context = (limits?: Limits) => CallContext;

/** The account's keys. Not in the specification: a service of its letter answers NotFoundError. Methods throw as those of ServiceClient. */
export class ApiKeys {
  readonly #context: Context;
  readonly #mask: (secret: string) => void;

  constructor(context: Context, mask: (secret: string) => void) {
    this.#context = context;
    this.#mask = mask;
  }

  /** Makes a key; nothing shows its secret again. */
  async create(wanted: NewApiKey, limits?: Limits): Promise<CreatedApiKey> {
    const created = await call(createApiKey, wanted, this.#context(limits));
    this.#mask(created.key);
    return created;
  }

  /** All keys that are not revoked, without their secrets. */
  list(limits?: Limits): Promise<ApiKey[]> {
    return call(listApiKeys, undefined, this.#context(limits));
  }

  /** One key; `permissionsOf` reads what it may do. */
  async get(id: number, limits?: Limits): Promise<ApiKey> {
    const answer = await call(getApiKey, id, this.#context(limits));
    if (typeof answer !== "string") return answer;
    // One description of the service has the bare key for an answer.
    this.#mask(answer);
    return { id, permissions: undefined, rights: undefined };
  }

  /** Revokes a key. NotFoundError: there is none. */
  async delete(id: number, limits?: Limits): Promise<void> {
    await call(deleteApiKey, id, this.#context(limits));
  }

  /** Gives this client's own key another secret, and brings it. The client goes on with the old one, which is refused from then on. */
  async reset(limits?: Limits): Promise<string> {
    const key = await call(resetApiKey, undefined, this.#context(limits));
    this.#mask(key);
    return key;
  }
}
