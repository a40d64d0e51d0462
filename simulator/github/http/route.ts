import type { Answer } from "../../http/deliver.ts";
import type { Repository } from "../repositories.ts";
import type { Person } from "../setup/setup-world.ts";
import type { World } from "../world.ts";

/** One request as the stand-in reads it. */
export interface Visit {
  readonly world: World;
  readonly method: string;
  /** As the caller addressed it, without the prefix of the API. */
  readonly path: string;
  readonly params: Record<string, string>;
  readonly query: URLSearchParams;
  readonly body: string;
  /** The API's URL as the caller addressed it, for the links in the answer. */
  readonly api: string;
  /** What the request proves itself by. */
  readonly bearer: string | undefined;
  /** Aborts when the caller's connection breaks before the answer. */
  readonly closed: AbortSignal;
}

/** A path, `METHOD /path/:parameter`, and who answers there. */
export interface Route<More = object> {
  readonly at: string;
  handle(visit: Visit & More): Answer | Promise<Answer>;
}

/** One request of somebody who sets a repository up; no person where an app asks, or nobody in particular. */
export type SetupCall = Visit & { readonly person: Person | undefined };

/** Its JSON body; empty where there is none. */
export function jsonOf({ body }: SetupCall): Record<string, unknown> {
  return body === "" ? {} : (JSON.parse(body) as Record<string, unknown>);
}

/** One imitated call of a set-up. */
export type SetupRoute = Route<{ readonly person: Person | undefined }>;

/** A request to GitHub's API, after it was authorized; `home`: the repository or organisation, in small letters. */
export type HomeCall = Visit & { readonly home: string; readonly json: unknown };

/** The same where a repository is meant. */
export type Call = HomeCall & { readonly repository: Repository };
