import { type CallOptions, type ContextOf, call } from "../call.ts";
import { attachSshKey } from "../endpoints/attach-ssh-key.ts";
import { createSshKey } from "../endpoints/create-ssh-key.ts";
import { deleteSshKey } from "../endpoints/delete-ssh-key.ts";
import { detachSshKey } from "../endpoints/detach-ssh-key.ts";
import { listInstanceSshKeys } from "../endpoints/list-instance-ssh-keys.ts";
import { listSshKeys } from "../endpoints/list-ssh-keys.ts";
import type { SshKey } from "../schemas/ssh-key.ts";
import { NotFoundError } from "../service-errors.ts";

/**
 * Who may log in by SSH: the account's public keys, which each new instance gets, and those of one
 * instance. Not in the specification: a service of its letter answers NotFoundError. Methods throw
 * as those of ServiceClient.
 */
export class SshKeys {
  readonly #context: ContextOf;

  constructor(context: ContextOf) {
    this.#context = context;
  }

  /** The account's keys. */
  list(options?: CallOptions): Promise<SshKey[]> {
    return call(listSshKeys, undefined, this.#context(options)).catch(noneWhenSaidSo);
  }

  /**
   * Registers a public key, a line as `ssh-keygen` writes it. Instances that there are already
   * don't get it: `attach` it to them.
   */
  create(publicKey: string, options?: CallOptions): Promise<SshKey> {
    return call(createSshKey, publicKey, this.#context(options));
  }

  /** Takes a key off the account. RequestRejectedError, `no_ssh_key`: there is none. */
  async delete(id: number, options?: CallOptions): Promise<void> {
    await call(deleteSshKey, id, this.#context(options));
  }

  /** The keys that may log in to an instance. */
  ofInstance(instanceId: number, options?: CallOptions): Promise<SshKey[]> {
    return call(listInstanceSshKeys, instanceId, this.#context(options));
  }

  /** Lets a public key log in to an instance. NotFoundError: there is no such instance. */
  async attach(instanceId: number, publicKey: string, options?: CallOptions): Promise<void> {
    await call(attachSshKey, { instanceId, publicKey }, this.#context(options));
  }

  /** Ends a key's log-ins to an instance. NotFoundError: no such instance, or not this key. */
  async detach(instanceId: number, keyId: number, options?: CallOptions): Promise<void> {
    await call(detachSshKey, { instanceId, keyId }, this.#context(options));
  }
}

/** An account without a key is told by 404, and so is a service that has no such address. */
function noneWhenSaidSo(error: unknown): SshKey[] {
  if (error instanceof NotFoundError && /no ssh keys? found/i.test(error.sentence ?? "")) return [];
  throw error;
}
