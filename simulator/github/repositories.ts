import { createHash } from "node:crypto";

/** The commit of every run. */
export const COMMIT = "acb5820ced9479c074f688cc328bf03f341a511d";

/** A repository that the stand-in knows; GitHub compares names without regard to case. */
export interface Repository {
  readonly id: number;
  readonly owner: string;
  readonly name: string;
  readonly fullName: string;
  /** The last commits of branches that a test moved; undefined: it removed the branch. Others have that of every run. */
  readonly moved: Map<string, string | undefined>;
}

/** The repositories of the stand-in; one that was never named answers 404. */
export type Repositories = ReturnType<typeof openRepositories>;

/** Opens the repositories, of which there are none yet. */
export function openRepositories() {
  const byName = new Map<string, Repository>();
  /** Returns the repository of this full name, or undefined for one that was never named. */
  const find = (fullName: string) => byName.get(fullName.toLowerCase());
  return {
    find,
    /** Returns the repository of this name, made known if new; throws on another id than known. */
    declare(fullName: string, id?: number): Repository {
      const [owner = "", name = ""] = fullName.split("/");
      const fresh = { id: id ?? idOf(fullName), owner, name, fullName, moved: new Map() };
      const known = find(fullName) ?? fresh;
      if (id !== undefined && id !== known.id)
        throw new Error(`Repository ${known.fullName} already has the id ${known.id}.`);
      byName.set(fullName.toLowerCase(), known);
      return known;
    },
    /** Whether a repository of this owner was ever named. Here every owner is an organisation. */
    hasOwner: (owner: string) =>
      [...byName.values()].some((repository) => repository.owner.toLowerCase() === owner.toLowerCase()),
  };
}

/** The last commit of a branch; undefined: there is no such branch. */
export function headOf({ moved }: Repository, branch: string): string | undefined {
  return moved.has(branch) ? moved.get(branch) : COMMIT;
}

/** The same name has the same id after a restart, as labels on machines carry it. */
function idOf(fullName: string): number {
  return 700_000_000 + (createHash("sha256").update(fullName.toLowerCase()).digest().readUInt32BE(0) % 100_000_000);
}
