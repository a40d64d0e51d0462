import { matchPath } from "../../http/match-path.ts";
import type { ServiceOperation } from "../../scenario/service-operation.ts";
import { currentUser } from "../operations/account/current-user.ts";
import { listCharges } from "../operations/account/list-charges.ts";
import { changeBid } from "../operations/instances/change-bid.ts";
import { changeInstance } from "../operations/instances/change-instance.ts";
import { changeInstances } from "../operations/instances/change-instances.ts";
import { createInstance } from "../operations/instances/create-instance.ts";
import { destroyInstance } from "../operations/instances/destroy-instance.ts";
import { destroyInstances } from "../operations/instances/destroy-instances.ts";
import { getInstance } from "../operations/instances/get-instance.ts";
import { getLogFile } from "../operations/instances/get-log-file.ts";
import { listInstanceFilters } from "../operations/instances/list-instance-filters.ts";
import { listInstances } from "../operations/instances/list-instances.ts";
import { rebootInstance } from "../operations/instances/reboot-instance.ts";
import { recycleInstance } from "../operations/instances/recycle-instance.ts";
import { requestLogs } from "../operations/instances/request-logs.ts";
import { attachSshKey } from "../operations/keys/attach-ssh-key.ts";
import { changeSshKey } from "../operations/keys/change-ssh-key.ts";
import { createSshKey } from "../operations/keys/create-ssh-key.ts";
import { deleteSshKey } from "../operations/keys/delete-ssh-key.ts";
import { detachSshKey } from "../operations/keys/detach-ssh-key.ts";
import { listInstanceSshKeys } from "../operations/keys/list-instance-ssh-keys.ts";
import { listSshKeys } from "../operations/keys/list-ssh-keys.ts";
import { createVolume } from "../operations/market/create-volume.ts";
import { deleteVolume } from "../operations/market/delete-volume.ts";
import { listGpuNames } from "../operations/market/list-gpu-names.ts";
import { listVolumes } from "../operations/market/list-volumes.ts";
import { searchAsks } from "../operations/market/search-asks.ts";
import { searchOffers } from "../operations/market/search-offers.ts";
import { searchVolumes } from "../operations/market/search-volumes.ts";
import type { Operation } from "../service-world.ts";
import { ACCOUNT_ROUTES } from "./account-routes.ts";

/** A request's address, recognised. */
export interface Route {
  readonly name: ServiceOperation;
  readonly run: Operation;
  /** The id in the path; 0 where the path has none. */
  readonly id: number;
  /** The second id, likewise. */
  readonly innerId: number;
  readonly paged: boolean;
}

/** One line per address; `:id` is an integer, and every path may end with a slash or not. */
const ROUTES: readonly { method: string; path: string; name: ServiceOperation; run: Operation }[] = [
  ...ACCOUNT_ROUTES,
  { method: "POST", path: "/api/v0/bundles", name: "searchOffers", run: searchOffers },
  { method: "PUT", path: "/api/v0/asks/:id", name: "createInstance", run: createInstance },
  { method: "GET", path: "/api/v0/instances", name: "listInstances", run: listInstances },
  { method: "GET", path: "/api/v1/instances", name: "listInstances", run: listInstances },
  { method: "GET", path: "/api/v0/instances/:id", name: "getInstance", run: getInstance },
  { method: "PUT", path: "/api/v0/instances/:id", name: "changeInstance", run: changeInstance },
  { method: "DELETE", path: "/api/v0/instances/:id", name: "destroyInstance", run: destroyInstance },
  { method: "GET", path: "/api/v0/users/current", name: "currentUser", run: currentUser },
  { method: "PUT", path: "/api/v0/instances/request_logs/:id", name: "requestLogs", run: requestLogs },
  { method: "PUT", path: "/api/v0/search/asks", name: "searchOffers", run: searchAsks },
  { method: "PUT", path: "/api/v0/instances", name: "changeInstance", run: changeInstances },
  { method: "DELETE", path: "/api/v0/instances", name: "destroyInstance", run: destroyInstances },
  { method: "GET", path: "/api/v0/charges", name: "listCharges", run: listCharges },
  { method: "GET", path: "/log-files/:id", name: "getLogFile", run: getLogFile },
  { method: "PUT", path: "/api/v0/instances/reboot/:id", name: "rebootInstance", run: rebootInstance },
  { method: "PUT", path: "/api/v0/instances/recycle/:id", name: "recycleInstance", run: recycleInstance },
  { method: "PUT", path: "/api/v0/instances/bid_price/:id", name: "changeBid", run: changeBid },
  { method: "POST", path: "/api/v0/instances/:id/ssh", name: "attachSshKey", run: attachSshKey },
  { method: "GET", path: "/api/v0/instances/:id/ssh", name: "listInstanceSshKeys", run: listInstanceSshKeys },
  { method: "DELETE", path: "/api/v0/instances/:id/ssh/:innerId", name: "detachSshKey", run: detachSshKey },
  { method: "GET", path: "/api/v0/instances/filters", name: "listInstanceFilters", run: listInstanceFilters },
  { method: "GET", path: "/api/v0/gpu_names/unique", name: "listGpuNames", run: listGpuNames },
  { method: "POST", path: "/api/v0/volumes/search", name: "searchVolumes", run: searchVolumes },
  { method: "GET", path: "/api/v0/volumes", name: "listVolumes", run: listVolumes },
  { method: "PUT", path: "/api/v0/volumes", name: "createVolume", run: createVolume },
  { method: "DELETE", path: "/api/v0/volumes", name: "deleteVolume", run: deleteVolume },
  { method: "GET", path: "/api/v0/ssh", name: "listSshKeys", run: listSshKeys },
  { method: "POST", path: "/api/v0/ssh", name: "createSshKey", run: createSshKey },
  { method: "PUT", path: "/api/v0/ssh/:id", name: "changeSshKey", run: changeSshKey },
  { method: "DELETE", path: "/api/v0/ssh/:id", name: "deleteSshKey", run: deleteSshKey },
];

/** Finds what a request asks for; undefined where the service has no such address. */
export function findRoute(method: string, pathname: string): Route | undefined {
  const path = pathname.replace(/\/$/, "");
  for (const { method: wanted, path: pattern, name, run } of ROUTES) {
    const params = wanted === method ? matchPath(pattern, path) : undefined;
    const { id = "", innerId = "" } = params ?? {};
    if (params === undefined || !/^\d*$/.test(id + innerId)) continue;
    return { name, run, id: Number(id), innerId: Number(innerId), paged: pattern.startsWith("/api/v1/") };
  }
  return undefined;
}
