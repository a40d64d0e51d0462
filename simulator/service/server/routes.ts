import { type Answer, deliver } from "../../http/deliver.ts";
import { findFault, underFaults } from "../../http/faults.ts";
import { findRow } from "../../http/match-path.ts";
import type { Exchange } from "../../http/serve-http.ts";
import { type Fault, OPERATIONS, SERVICE_OPERATIONS } from "../../scenario/fault.ts";
import { authorize, callerName, identify, wordsOf } from "../account/keys.ts";
import { ACCOUNT_OPERATIONS } from "../operations/account.ts";
import { INSTANCE_OPERATIONS } from "../operations/instances.ts";
import { KEY_OPERATIONS } from "../operations/keys.ts";
import { MARKET_OPERATIONS } from "../operations/market.ts";
import { bodyObject, type RequestBody, readRequestBody } from "../requests/request-body.ts";
import type { Call, ServiceWorld } from "../service-world.ts";
import { Refusal, unknownPath, withJunk } from "../traffic/refusal.ts";
import type { JournalEntry } from "../traffic/service-journal.ts";

const PARTS = [INSTANCE_OPERATIONS, ACCOUNT_OPERATIONS, KEY_OPERATIONS, MARKET_OPERATIONS];

const ROWS = SERVICE_OPERATIONS.flatMap((name) =>
  [OPERATIONS[name].at].flat().map((at, index) => ({ at, name, isSecond: index > 0 })),
);

/** An operation at one of its addresses. */
type Row = (typeof ROWS)[number];

/** A request that has reached its operation. */
interface Arrival extends Omit<Call, "body" | "isSecond"> {
  readonly row: Row;
  readonly body: RequestBody;
  /** Tells keys apart for the rate limits. */
  readonly key: string;
  readonly entry: JournalEntry;
}

function perform(arrival: Arrival, world: ServiceWorld): Answer {
  try {
    const answer = carryOut(arrival, world);
    const junk = findFault(arrival.faults, "junk");
    return junk ? withJunk(answer, junk) : answer;
  } catch (refusal) {
    if (!(refusal instanceof Refusal)) throw refusal;
    if (refusal.answer.status === 501) arrival.entry.mark = "not-simulated";
    return refusal.answer;
  }
}

/** Permission first, then limits, then the operation in its dialect. */
function carryOut(arrival: Arrival, world: ServiceWorld): Answer {
  const { id, body, caller, entry, key } = arrival;
  const { name, isSecond } = arrival.row;
  const { dialect } = world;
  authorize(caller, { operation: name, instanceId: id, body: body.json }, world);
  const tooSoon = world.tooSoon?.(name, { key, isSecond, words: wordsOf(name, dialect) });
  if (tooSoon) {
    entry.mark = "rate-limited";
    return tooSoon;
  }
  const call = { ...arrival, isSecond, body: bodyObject(body) };
  const [run] = PARTS.flatMap((part) => part.both?.[name] ?? part[dialect]?.[name] ?? []);
  if (!run || (isSecond && dialect === "seed")) throw unknownPath();
  const answer = run(call, world);
  entry.performed = true;
  return answer;
}

/** Serves a request from arrival to answer, with the faults in force; gives its journal entry. */
export async function serveRequest({ request, response, url, closing }: Exchange, world: ServiceWorld) {
  const body = await readRequestBody(request);
  const { clock, journal } = world;
  const { authorization } = request.headers;
  const { method = "" } = request;
  const caller = identify(authorization, world.apiKeys.all, world.rentals.records);
  const isNumbered = (_: Row, { id = "", innerId = "" }) => /^\d*$/.test(id + innerId);
  const found = findRow(ROWS, { method, path: url.pathname.replace(/\/$/, "") }, isNumbered);
  const [id, innerId] = [Number(found?.params.id ?? 0), Number(found?.params.innerId ?? 0)];
  const faults = found ? world.faults.take(found.row.name, (fault) => isMeant(fault, { id, caller })) : [];
  const entry = journal.open({
    at: clock.now(),
    operation: found?.row.name ?? "unknown-route",
    method,
    path: url.pathname,
    query: shownQuery(url.searchParams),
    caller: callerName(caller),
    request: body.text === "" ? undefined : (body.json ?? "<not JSON>"),
    faults: faults.map(({ kind }) => kind),
  });
  const asked = { id, innerId, query: url.searchParams, body, caller, key: authorization ?? "", faults, entry };
  const delivery = await underFaults(faults, {
    ...{ clock, closing, refusal: () => ({}), textType: "text/plain" },
    perform: () => (found ? perform({ ...asked, row: found.row }, world) : unknownPath().answer),
  });
  deliver(response, delivery, clock);
  journal.close(entry, delivery);
  return entry;
}

/** Whether a request is one that a fault means; the id is of an offer for create, of an instance for the others. */
function isMeant(
  { operation, offer, instance, ...fault }: Fault,
  { id, caller }: Pick<Arrival, "id" | "caller">,
): boolean {
  const named = operation === "createInstance" ? offer : instance;
  const kind = caller.kind === "scoped" ? "account" : caller.kind;
  return (named ?? id) === id && (fault.caller ?? kind) === kind;
}

function shownQuery(query: URLSearchParams): Record<string, string> {
  // A key in the address (which the service once took) is a secret, too.
  return Object.fromEntries([...query].map(([name, value]) => [name, name === "api_key" ? "…" : value]));
}
