import type { ServerResponse } from "node:http";
import { matchPath } from "../../http/match-path.ts";
import type { Exchange } from "../../http/serve-http.ts";
import type { Fault, ServiceOperation } from "../../scenario/fault.ts";
import { authorize, type Caller, callerName, identify, wordsOf } from "../account/keys.ts";
import {
  createTemplate,
  currentUser,
  deleteTemplate,
  editTemplate,
  listCharges,
  listTeamMembers,
  listVariables,
  removeTeamMember,
  searchTemplates,
} from "../operations/account.ts";
import {
  changeBid,
  changeInstance,
  changeInstances,
  createInstance,
  destroyInstance,
  destroyInstances,
  getInstance,
  getLogFile,
  listInstanceFilters,
  listInstances,
  rebootInstance,
  recycleInstance,
  requestLogs,
} from "../operations/instances.ts";
import {
  attachSshKey,
  changeSshKey,
  createApiKey,
  createSshKey,
  deleteApiKey,
  deleteSshKey,
  detachSshKey,
  getApiKey,
  listApiKeys,
  listInstanceSshKeys,
  listSshKeys,
  resetApiKey,
} from "../operations/keys.ts";
import {
  createVolume,
  deleteVolume,
  listGpuNames,
  listVolumes,
  searchAsks,
  searchOffers,
  searchVolumes,
} from "../operations/market.ts";
import { bodyObject, type RequestBody, readRequestBody } from "../requests/request-body.ts";
import type { Operation, ServiceWorld } from "../service-world.ts";
import { findFault } from "../traffic/fault-book.ts";
import { tooFrequent } from "../traffic/rate-limits.ts";
import {
  NotSimulated,
  Refusal,
  sendAnswer,
  shapeAnswer,
  shapingFault,
  takesEffect,
  withJunk,
} from "../traffic/refusal.ts";
import type { JournalEntry, ServiceAnswer } from "../traffic/service-journal.ts";

/** The addresses of templates, keys and the team; read as those of `routes.ts`. */
const ACCOUNT_ROUTES = [
  { method: "GET", path: "/api/v0/template", name: "searchTemplates", run: searchTemplates },
  { method: "POST", path: "/api/v0/template", name: "createTemplate", run: createTemplate },
  { method: "PUT", path: "/api/v0/template", name: "editTemplate", run: editTemplate },
  { method: "PUT", path: "/api/v1/template", name: "editTemplate", run: editTemplate },
  { method: "DELETE", path: "/api/v0/template", name: "deleteTemplate", run: deleteTemplate },
  { method: "GET", path: "/api/v0/team/members", name: "listTeamMembers", run: listTeamMembers },
  { method: "DELETE", path: "/api/v0/team/members/:id", name: "removeTeamMember", run: removeTeamMember },
  { method: "POST", path: "/api/v0/auth/apikeys", name: "createApiKey", run: createApiKey },
  { method: "GET", path: "/api/v0/auth/apikeys", name: "listApiKeys", run: listApiKeys },
  { method: "GET", path: "/api/v0/auth/apikeys/:id", name: "getApiKey", run: getApiKey },
  { method: "DELETE", path: "/api/v0/auth/apikeys/:id", name: "deleteApiKey", run: deleteApiKey },
  { method: "PUT", path: "/api/v0/commands/reset_apikey", name: "resetApiKey", run: resetApiKey },
  { method: "GET", path: "/api/v0/secrets", name: "listVariables", run: listVariables },
] as const;

/** A request's address, recognised. */
interface Route {
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
function findRoute(method: string, pathname: string): Route | undefined {
  const path = pathname.replace(/\/$/, "");
  for (const { method: wanted, path: pattern, name, run } of ROUTES) {
    const params = wanted === method ? matchPath(pattern, path) : undefined;
    const { id = "", innerId = "" } = params ?? {};
    if (params === undefined || !/^\d*$/.test(id + innerId)) continue;
    return { name, run, id: Number(id), innerId: Number(innerId), paged: pattern.startsWith("/api/v1/") };
  }
  return undefined;
}

/** A request that has reached its operation. */
interface Arrival {
  readonly route: Route;
  readonly query: URLSearchParams;
  readonly body: RequestBody;
  readonly caller: Caller;
  /** Tells keys apart for the rate limits. */
  readonly authorization: string;
  readonly faults: readonly Fault[];
  readonly entry: JournalEntry;
}

/** Carries a request out or refuses it: permission first, then limits, then the operation. */
function perform(arrival: Arrival, world: ServiceWorld): ServiceAnswer {
  const { route, query, body, caller, faults, entry } = arrival;
  try {
    authorize(caller, { operation: route.name, instanceId: route.id, body: body.json }, world);
    const { limits } = world;
    const limit = limits?.count(route.name, { key: arrival.authorization, paged: route.paged });
    if (limits && limit) {
      entry.mark = "rate-limited";
      // Where only the seed's words are known, they are used in both dialects.
      return tooFrequent(limit, wordsOf(route.name, world.dialect) === "seed" ? "json" : limits.form);
    }
    const call = {
      id: route.id,
      innerId: route.innerId,
      paged: route.paged,
      query,
      body: bodyObject(body),
      caller,
      faults,
    };
    const answer = route.run(call, world);
    entry.performed = true;
    const junk = findFault(faults, "junk");
    return junk ? withJunk(answer, junk) : answer;
  } catch (refusal) {
    if (!(refusal instanceof Refusal)) throw refusal;
    if (refusal instanceof NotSimulated) entry.mark = "not-simulated";
    return refusal.answer;
  }
}

/** Serves a request from arrival to answer, with the faults in force; gives its journal entry. */
export async function serveRequest(exchange: Exchange, world: ServiceWorld): Promise<JournalEntry> {
  const { request, response, url, closing } = exchange;
  const body = await readRequestBody(request);
  const authorization = request.headers.authorization;
  const caller = identify(authorization, { ...world, instances: world.rentals.records });
  const route = findRoute(request.method ?? "", url.pathname);
  const faults = route ? world.faults.hits(target(route, caller)) : [];
  const entry = world.journal.open({
    at: world.clock.now(),
    operation: route?.name ?? "unknown-route",
    method: request.method ?? "",
    path: url.pathname,
    query: shownQuery(url.searchParams),
    caller: callerName(caller),
    request: body.text === "" ? undefined : (body.json ?? "<not JSON>"),
    faults: faults.map(({ kind }) => kind),
  });
  if (!route) {
    const answer = { status: 404, body: { success: false, error: "not_found", msg: "There is no such path." } };
    world.journal.close(entry, sendAnswer(response, { how: "answer", answer }, world.clock), answer);
    return entry;
  }
  await answerRequest({
    arrival: { route, query: url.searchParams, body, caller, authorization: authorization ?? "", faults, entry },
    response,
    closing,
    world,
  });
  return entry;
}

interface Answering {
  arrival: Arrival;
  response: ServerResponse;
  closing: AbortSignal;
  world: ServiceWorld;
}

async function answerRequest({ arrival, response, closing, world }: Answering): Promise<void> {
  const { faults, entry } = arrival;
  const shaping = shapingFault(faults);
  await delay(arrival, "before", { closing, world });
  if (shaping?.kind === "late-create") {
    world.clock.after(shaping.seconds * 1000, () => closing.aborted || perform(arrival, world));
  }
  const answer = takesEffect(shaping) ? perform(arrival, world) : undefined;
  await delay(arrival, "after", { closing, world });
  const delivery = shapeAnswer(shaping, answer);
  const sent = "answer" in delivery ? delivery.answer : undefined;
  world.journal.close(entry, sendAnswer(response, delivery, world.clock), sent);
}

async function delay(
  { faults }: Arrival,
  when: "before" | "after",
  { closing, world }: Pick<Answering, "closing" | "world">,
) {
  for (const fault of faults) {
    if (fault.kind !== "delay" || (fault.when ?? "before") !== when) continue;
    await world.clock.sleep(fault.seconds * 1000, closing);
  }
}

function target(route: Route, caller: Caller) {
  const kinds = {
    account: "account",
    scoped: "account",
    instance: "instance",
    anonymous: "other",
    invalid: "other",
  } as const;
  return { operation: route.name, id: route.id, caller: kinds[caller.kind] };
}

function shownQuery(query: URLSearchParams): Record<string, string> {
  // A key in the address (which the service once took) is a secret, too.
  return Object.fromEntries([...query].map(([name, value]) => [name, name === "api_key" ? "…" : value]));
}
