import { ACCOUNT_ROUTES } from "./account-routes.ts";
import { changeInstance } from "./operations/change-instance.ts";
import { createInstance } from "./operations/create-instance.ts";
import { currentUser } from "./operations/current-user.ts";
import { destroyInstance } from "./operations/destroy-instance.ts";
import { getInstance } from "./operations/get-instance.ts";
import { getLogFile } from "./operations/get-log-file.ts";
import { listInstances } from "./operations/list-instances.ts";
import { requestLogs } from "./operations/request-logs.ts";
import { searchOffers } from "./operations/search-offers.ts";
import type { ServiceOperation } from "./service-operation.ts";
import type { Operation } from "./service-world.ts";

/** A request's address, recognised. */
export interface Route {
  readonly name: ServiceOperation;
  readonly run: Operation;
  /** The id in the path; 0 where the path has none. */
  readonly id: number;
  readonly paged: boolean;
}

/** One line per address; `{id}` is an integer, and every path may end with a slash or not. */
const ROUTES: readonly { method: string; path: string; name: ServiceOperation; run: Operation }[] = [
  ...ACCOUNT_ROUTES,
  { method: "POST", path: "/api/v0/bundles", name: "searchOffers", run: searchOffers },
  { method: "PUT", path: "/api/v0/asks/{id}", name: "createInstance", run: createInstance },
  { method: "GET", path: "/api/v0/instances", name: "listInstances", run: listInstances },
  { method: "GET", path: "/api/v1/instances", name: "listInstances", run: listInstances },
  { method: "GET", path: "/api/v0/instances/{id}", name: "getInstance", run: getInstance },
  { method: "PUT", path: "/api/v0/instances/{id}", name: "changeInstance", run: changeInstance },
  { method: "DELETE", path: "/api/v0/instances/{id}", name: "destroyInstance", run: destroyInstance },
  { method: "GET", path: "/api/v0/users/current", name: "currentUser", run: currentUser },
  { method: "PUT", path: "/api/v0/instances/request_logs/{id}", name: "requestLogs", run: requestLogs },
  { method: "GET", path: "/log-files/{id}", name: "getLogFile", run: getLogFile },
];

/** Finds what a request asks for; undefined where the service has no such address. */
export function findRoute(method: string, pathname: string): Route | undefined {
  const path = pathname.replace(/\/$/, "");
  const id = /\/(\d+)$/.exec(path)?.[1];
  const pattern = id === undefined ? path : `${path.slice(0, -id.length)}{id}`;
  const found = ROUTES.find((route) => route.method === method && route.path === pattern);
  if (!found) return undefined;
  return { name: found.name, run: found.run, id: Number(id ?? 0), paged: found.path.startsWith("/api/v1/") };
}
