import type { Answer } from "../http/answer.ts";
import type { World } from "../world.ts";
import type { Person } from "./setup-world.ts";

/** One request of somebody who sets a repository up. */
export interface SetupCall {
  readonly world: World;
  /** Undefined where an app asks, or nobody in particular. */
  readonly person: Person | undefined;
  /** What the request proves itself by. */
  readonly bearer: string | undefined;
  readonly params: Record<string, string>;
  readonly query: URLSearchParams;
  readonly body: string;
  readonly api: string;
}

/** One imitated call. */
export interface SetupRoute {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly path: string;
  /** Who may ask; to others it is not there. */
  readonly by: "person" | "anybody";
  handle(call: SetupCall): Answer | Promise<Answer>;
}

/** A JSON body; empty where there is none. */
export function bodyOf({ body }: SetupCall): Record<string, unknown> {
  return body === "" ? {} : (JSON.parse(body) as Record<string, unknown>);
}
