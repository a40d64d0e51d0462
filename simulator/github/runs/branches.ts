import type { Repository } from "../repositories.ts";

/** The commit of every run. */
export const COMMIT = "acb5820ced9479c074f688cc328bf03f341a511d";

/** The last commit of each branch: that of every run, until a test moves or removes the branch. */
export class Branches {
  readonly #moved = new Map<string, string | undefined>();

  /** Undefined: there is no such branch. */
  head(repository: Repository, branch: string): string | undefined {
    const key = keyOf(repository.fullName, branch);
    return this.#moved.has(key) ? this.#moved.get(key) : COMMIT;
  }

  /** As if someone pushed a commit, or removed the branch. */
  move(fullName: string, branch: string, commit: string | undefined): void {
    this.#moved.set(keyOf(fullName, branch), commit);
  }
}

function keyOf(fullName: string, branch: string): string {
  return `${fullName.toLowerCase()} ${branch}`;
}
