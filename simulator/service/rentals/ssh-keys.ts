/** One of the account's public keys for SSH. */
export interface SshKey {
  readonly id: number;
  key: string;
  /** Simulated ms since the epoch. */
  readonly createdAt: number;
}

/** The public keys of the account; each new container gets them all. */
export class SshKeys {
  readonly #now: () => number;
  readonly #keys: SshKey[] = [];
  #made = 0;

  constructor(first: string | null, now: () => number) {
    this.#now = now;
    if (first !== null) this.add(first);
  }

  all(): readonly SshKey[] {
    return this.#keys;
  }

  find(id: number): SshKey | undefined {
    return this.#keys.find((each) => each.id === id);
  }

  /** The account's own of this text; else one of its own, which the account does not get. */
  known(key: string): SshKey {
    return this.#keys.find((each) => each.key === key) ?? this.#make(key);
  }

  add(key: string): SshKey {
    const added = this.#make(key);
    this.#keys.push(added);
    return added;
  }

  #make(key: string): SshKey {
    this.#made += 1;
    return { id: 3000 + this.#made, key, createdAt: this.#now() };
  }

  remove(id: number): void {
    const index = this.#keys.findIndex((each) => each.id === id);
    if (index >= 0) this.#keys.splice(index, 1);
  }

  /** As *current user* shows them; null for none. */
  get shown(): string | null {
    return this.#keys.length > 0 ? this.#keys.map(({ key }) => key).join("\n") : null;
  }
}
