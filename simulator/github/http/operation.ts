import type { OperationName } from "../operation-name.ts";
import type { Repository } from "../repositories.ts";
import type { Account, Permission } from "../tokens.ts";
import type { World } from "../world.ts";
import type { Answer } from "./answer.ts";

/** One request of an operation, after it was authorized. */
export interface Call extends HomeCall {
  readonly repository: Repository;
}

/** Where a repository or an organisation may be meant: `home` is its name in small letters. */
export interface HomeCall {
  readonly world: World;
  readonly account: Account;
  readonly home: string;
  readonly params: Record<string, string>;
  readonly query: URLSearchParams;
  /** The parsed JSON body, undefined when there was none. */
  readonly body: unknown;
  /** The API's URL as the caller addressed it, for the links in the answer. */
  readonly api: string;
  /** The path as the caller addressed it, for the links to other pages. */
  readonly path: string;
}

interface Described {
  readonly name: OperationName;
  readonly method: "GET" | "POST" | "DELETE";
  /** A colon begins a parameter; each path names `:owner/:repo`, or an organisation, `:org`. */
  readonly path: string;
  readonly permission: Permission;
}

/** One imitated operation of GitHub on a repository. */
export interface RepositoryOperation extends Described {
  readonly of?: "repository";
  handle(call: Call): Answer;
}

/** One on an organisation. */
export interface OrganisationOperation extends Described {
  readonly of: "organisation";
  handle(call: HomeCall): Answer;
}

/** One imitated operation of GitHub. */
export type Operation = RepositoryOperation | OrganisationOperation;
