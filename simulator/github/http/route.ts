import type { Runner } from "../runners/runners.ts";
import type { World } from "../world.ts";
import type { Answer } from "./answer.ts";

/** One request to a part of the stand-in that GitHub does not have. */
export interface Visit {
  readonly world: World;
  readonly params: Record<string, string>;
  readonly query: URLSearchParams;
  readonly body: string;
  /** Aborts when the caller's connection breaks before the answer. */
  readonly closed: AbortSignal;
}

/** A path that GitHub does not have: control, downloads. */
export interface Route {
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  handle(visit: Visit): Answer | Promise<Answer>;
}

/** A path for listeners, who prove themselves by their runner's configuration. */
export interface RunnerRoute {
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  handle(visit: Visit & { readonly runner: Runner }): Answer | Promise<Answer>;
}
