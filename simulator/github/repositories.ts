import { createHash } from "node:crypto";

/** A repository that the stand-in knows; GitHub compares names without regard to case. */
export interface Repository {
  readonly id: number;
  readonly owner: string;
  readonly name: string;
  readonly fullName: string;
}

/** The repositories of the stand-in; one that was never named answers 404. */
export class Repositories {
  readonly #byName = new Map<string, Repository>();

  /** Returns the repository of this name, made known if new; throws on another id than known. */
  declare(fullName: string, id?: number): Repository {
    const known = this.find(fullName);
    if (known === undefined) return this.#add(fullName, id ?? idOf(fullName));
    if (id !== undefined && id !== known.id) {
      throw new Error(`Repository ${known.fullName} already has the id ${known.id}.`);
    }
    return known;
  }

  /** Returns the repository of this full name, or undefined for one that was never named. */
  find(fullName: string): Repository | undefined {
    return this.#byName.get(fullName.toLowerCase());
  }

  /** Whether a repository of this owner was ever named. Here every owner is an organisation. */
  hasOwner(owner: string): boolean {
    return [...this.#byName.values()].some((repository) => repository.owner.toLowerCase() === owner.toLowerCase());
  }

  #add(fullName: string, id: number): Repository {
    const [owner = "", name = ""] = fullName.split("/");
    const repository = { id, owner, name, fullName };
    this.#byName.set(fullName.toLowerCase(), repository);
    return repository;
  }
}

/** The same name has the same id after a restart, as labels on machines carry it. */
function idOf(fullName: string): number {
  return 700_000_000 + (createHash("sha256").update(fullName.toLowerCase()).digest().readUInt32BE(0) % 100_000_000);
}
