import type { IncomingMessage, ServerResponse } from "node:http";
import { z } from "zod";
import { deliver } from "../../http/deliver.ts";
import { matchPath } from "../../http/match-path.ts";
import { readBody } from "../../http/read-body.ts";
import type { Exchange } from "../../http/serve-http.ts";
import { CONTROL_ROUTES } from "../control.ts";
import type { Hit, ShapingFault } from "../faults.ts";
import { OPERATIONS } from "../operations/all-operations.ts";
import { RUNNER_ROUTES } from "../runners/runner-channel.ts";
import { serveSetup } from "../setup/serve-setup.ts";
import type { Account } from "../tokens.ts";
import type { World } from "../world.ts";
import { type Answer, conditional, json, notFound, refusal } from "./answer.ts";
import { authorize, bearer, deliveryOf, onWire, rateHeaders, shapeAnswer, takesEffect } from "./on-wire.ts";
import type { Operation } from "./operation.ts";
import type { Route, RunnerRoute, Visit } from "./route.ts";

/** One request to the API: where it goes and how it was addressed. */
interface Target {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly api: string;
}

const NO_HIT: Hit = { delaySeconds: { before: 0, after: 0 }, fault: undefined };

/** Answers a request to GitHub's API: faults, then who asks, the operation, and what it costs. */
async function serveOperation(
  world: World,
  { target, request, response }: { target: Target; request: IncomingMessage; response: ServerResponse },
): Promise<void> {
  const found = findOperation(request.method, target.path);
  const body = await readBody(request);
  const { delaySeconds, fault } = found ? world.faults.take(found.operation.name) : NO_HIT;
  if (delaySeconds.before > 0) await world.clock.sleep(delaySeconds.before * 1000);
  const carried = takesEffect(fault) ? answerTo(world, { target, request, found, body, fault }) : undefined;
  if (delaySeconds.after > 0) await world.clock.sleep(delaySeconds.after * 1000);
  const answer = shapeAnswer(fault, carried?.answer);
  const status = answer?.status ?? "no answer";
  const asked = { target, request, body, operation: found?.operation.name, account: carried?.account };
  record(world, { ...asked, status, fault: fault?.kind });
  const delivery = deliveryOf(fault, answer);
  const sent = "answer" in delivery ? { ...delivery, answer: onWire(delivery.answer, world.clock) } : delivery;
  deliver(response, sent, world.clock);
}

interface Found {
  readonly operation: Operation;
  readonly params: Record<string, string>;
}

function findOperation(method: string | undefined, path: string): Found | undefined {
  for (const operation of OPERATIONS) {
    const params = operation.method === method ? matchPath(operation.path, path) : undefined;
    if (params) return { operation, params };
  }
  return undefined;
}

interface Request {
  readonly target: Target;
  readonly request: IncomingMessage;
  readonly found: Found | undefined;
  readonly body: string;
  readonly fault: ShapingFault | undefined;
}

function answerTo(world: World, asked: Request): { answer: Answer; account?: Account } {
  const { target, request, found, body, fault } = asked;
  if (found === undefined) return { answer: notFound() };
  const { account, refused } = authorize(world, found.operation, request);
  const fresh = refused ?? carryOut(world, { found, target, body, account });
  const plain = request.method === "GET" ? world.lastAnswers.give(target, fresh, fault) : fresh;
  const answer = request.method === "GET" ? conditional(plain, request.headers["if-none-match"]) : plain;
  if (account === undefined) return { answer };
  // A conditional request that is answered 304 does not count.
  if (answer.status !== 304) world.tokens.count(account);
  return { answer: { ...answer, headers: { ...rateHeaders(account), ...answer.headers } }, account };
}

function carryOut(
  world: World,
  { found, target, body, account }: { found: Found; target: Target; body: string; account: Account },
): Answer {
  const parsed = parse(body);
  if (parsed instanceof Error) return refusal(400, "Problems parsing JSON");
  const call = { world, account, params: found.params, body: parsed, ...target };
  const { owner, repo, org = "" } = found.params;
  if (found.operation.of === "organisation") {
    return world.repositories.hasOwner(org) ? found.operation.handle({ ...call, home: org.toLowerCase() }) : notFound();
  }
  const repository = world.repositories.find(`${owner}/${repo}`);
  if (repository === undefined) return notFound();
  return found.operation.handle({ ...call, repository, home: repository.fullName.toLowerCase() });
}

function parse(body: string): unknown {
  if (body === "") return undefined;
  try {
    return JSON.parse(body);
  } catch (error) {
    return error instanceof Error ? error : new Error("The body is not JSON.");
  }
}

interface Noted {
  readonly target: Target;
  readonly request: IncomingMessage;
  readonly body: string;
  readonly operation: string | undefined;
  readonly status: number | "no answer";
  readonly account: Account | undefined;
  readonly fault: string | undefined;
}

function record(world: World, { target, request, body, operation, status, account, fault }: Noted): void {
  const query = target.query.size > 0 ? `?${target.query}` : "";
  const token = account?.name ?? (request.headers.authorization === undefined ? "none" : "unknown");
  const asked = {
    method: request.method ?? "",
    path: `${target.path}${query}`,
    operation,
    token,
    status,
    ...(fault !== undefined && { fault }),
  };
  world.note(body === "" ? asked : { ...asked, request: parse(body) });
}

/** Bytes: the output of a job comes as one body. */
const MOST_OF_A_LOG = 16 * 1024 * 1024;

/** One request to a path that GitHub does not have. */
interface OwnRequest {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Answers such a request, in plain text for listeners and in JSON for all others. */
async function serveRoute(world: World, { path, query, request, response }: OwnRequest): Promise<void> {
  const closing = new AbortController();
  response.once("close", () => closing.abort());
  const found = findRoute(request.method, path);
  const body = await readBody(request, MOST_OF_A_LOG);
  const visit = { world, params: found?.params ?? {}, query, body, closed: closing.signal };
  const answer = await answerVisit(found?.route, visit, request);
  if (!isIdlePoll(path, answer)) {
    const token = path.startsWith("/_runner/") ? "listener" : "none";
    world.note({ method: request.method ?? "", path, operation: undefined, token, status: answer.status });
  }
  if (closing.signal.aborted) return;
  deliver(response, { how: "answer", answer: onWire(answer, world.clock) }, world.clock);
}

type AnyRoute = { own: Route } | { forRunner: RunnerRoute };

function findRoute(method: string | undefined, path: string) {
  const routes: { method: string; path: string; route: AnyRoute }[] = [
    ...CONTROL_ROUTES.map((own) => ({ method: own.method, path: own.path, route: { own } })),
    ...RUNNER_ROUTES.map((forRunner) => ({ method: forRunner.method, path: forRunner.path, route: { forRunner } })),
  ];
  for (const { method: wanted, path: pattern, route } of routes) {
    const params = wanted === method ? matchPath(pattern, path) : undefined;
    if (params) return { route, params };
  }
  return undefined;
}

async function answerVisit(route: AnyRoute | undefined, visit: Visit, request: IncomingMessage): Promise<Answer> {
  if (route === undefined) return notFound();
  if ("own" in route) return answerOwn(route.own, visit);
  const path = new URL(request.url ?? "/", "http://runner").pathname;
  const runner = visit.world.runners.bySecret(bearer(request) ?? "");
  const other = visit.world.runnerAnswers.take(request.method, path);
  if (other?.drops && runner) visit.world.dispatcher.drop(runner);
  if (other?.binds && runner?.job) visit.world.dispatcher.bind(runner.job);
  if (other) return { status: other.status, body: "not now\n" };
  if (runner === undefined) return { status: 404, body: "gone\n" };
  return route.forRunner.handle({ ...visit, runner });
}

/** The caller of control paths reads a fault of the request as one sentence. */
async function answerOwn(route: Route, visit: Visit): Promise<Answer> {
  try {
    return await route.handle(visit);
  } catch (error) {
    const message = error instanceof z.ZodError ? z.prettifyError(error) : String(error);
    return json(400, { message });
  }
}

function isIdlePoll(path: string, answer: Answer): boolean {
  return path.endsWith("/message") && answer.body === "none\n";
}

/** GitHub Enterprise Server has its API there; the stand-in answers at both places. */
const ENTERPRISE_PREFIX = "/api/v3";

/** Answers a request, to GitHub's API or to a path that GitHub does not have. */
export async function serve(world: World, { request, response, url }: Exchange): Promise<void> {
  const { pathname, searchParams: query } = url;
  if (pathname.startsWith("/_")) return serveRoute(world, { path: pathname, query, request, response });
  const enterprise = pathname.startsWith(`${ENTERPRISE_PREFIX}/`);
  const prefix = enterprise ? ENTERPRISE_PREFIX : "";
  // Links lead to where the caller looked for GitHub, which need not be this address.
  const { host = new URL(world.url).host } = request.headers;
  const target = { path: pathname.slice(prefix.length), query, api: `http://${host}${prefix}` };
  if (await serveSetup(world, { ...target, request, response })) return;
  await serveOperation(world, { target, request, response });
}

/** Answers a request over which the stand-in itself stumbled. */
export function sayThatItFailed({ clock }: World, fault: unknown, { response }: Exchange): void {
  if (response.headersSent) return;
  deliver(response, { how: "answer", answer: onWire(refusal(500, String(fault)), clock) }, clock);
}
