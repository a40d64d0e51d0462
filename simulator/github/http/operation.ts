import type { OperationName } from "../operation-name.ts";
import type { Repository } from "../repositories.ts";
import type { Account, Permission } from "../tokens.ts";
import type { World } from "../world.ts";
import type { Answer } from "./answer.ts";

/** One request of an operation, after it was authorized. */
export interface Call {
  readonly world: World;
  readonly account: Account;
  readonly repository: Repository;
  readonly params: Record<string, string>;
  readonly query: URLSearchParams;
  /** The parsed JSON body, undefined when there was none. */
  readonly body: unknown;
  /** The API's URL as the caller addressed it, for the links in the answer. */
  readonly api: string;
  /** The path as the caller addressed it, for the links to other pages. */
  readonly path: string;
}

/** One imitated operation of GitHub. */
export interface Operation {
  readonly name: OperationName;
  readonly method: "GET" | "POST" | "DELETE";
  /** Segments that begin with a colon are parameters; each path names `:owner/:repo`. */
  readonly path: string;
  readonly permission: Permission;
  handle(call: Call): Answer;
}
