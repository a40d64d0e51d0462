import type { ServerResponse } from "node:http";
import type { Exchange } from "../../http/serve-http.ts";
import { type Caller, callerName, identify } from "../account/keys.ts";
import { readRequestBody } from "../requests/request-body.ts";
import type { ServiceWorld } from "../service-world.ts";
import { sendAnswer } from "../traffic/send-answer.ts";
import type { JournalEntry } from "../traffic/service-journal.ts";
import { shapeAnswer, shapingFault, takesEffect } from "../traffic/shape-answer.ts";
import { type Arrival, perform } from "./perform.ts";
import { findRoute, type Route } from "./routes.ts";

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
