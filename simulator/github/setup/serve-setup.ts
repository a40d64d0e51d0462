import type { IncomingMessage, ServerResponse } from "node:http";
import { deliver } from "../../http/deliver.ts";
import { matchPath } from "../../http/match-path.ts";
import { readBody } from "../../http/read-body.ts";
import { bearer, onWire } from "../http/on-wire.ts";
import type { World } from "../world.ts";
import { APP_ROUTES } from "./app-routes.ts";
import { REPOSITORY_ROUTES } from "./repository-routes.ts";
import type { SetupRoute } from "./route.ts";
import { SECRET_ROUTES } from "./secret-routes.ts";

const ROUTES: readonly SetupRoute[] = [...REPOSITORY_ROUTES, ...SECRET_ROUTES, ...APP_ROUTES];

/** A request that may be of a set-up. */
export interface SetupRequest {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly api: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Answers a request of a set-up; false where it is none, and nothing was read of it. */
export async function serveSetup(world: World, asked: SetupRequest): Promise<boolean> {
  const { path, query, api, request, response } = asked;
  const token = bearer(request);
  const person = token === undefined ? undefined : world.setup.people.get(token);
  const found = findRoute(request.method, path, person !== undefined);
  if (found === undefined) return false;
  const { route, params } = found;
  const call = { world, person, bearer: token, params, query, body: await readBody(request), api };
  const answer = await route.handle(call);
  const operation = `${route.method} ${route.path}`;
  world.note({ method: route.method, path, operation, token: person?.login ?? "setup", status: answer.status });
  deliver(response, { how: "answer", answer: onWire(answer, world.clock) }, world.clock);
  return true;
}

function findRoute(method: string | undefined, path: string, isPerson: boolean) {
  for (const route of ROUTES) {
    if (route.method !== method || (route.by === "person" && !isPerson)) continue;
    const params = matchPath(route.path, path);
    if (params !== undefined) return { route, params };
  }
  return undefined;
}
