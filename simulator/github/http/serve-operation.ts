import type { IncomingMessage, ServerResponse } from "node:http";
import { deliver } from "../../http/deliver.ts";
import { matchPath } from "../../http/match-path.ts";
import { readBody } from "../../http/read-body.ts";
import type { Hit, ShapingFault } from "../faults.ts";
import { OPERATIONS } from "../operations/all-operations.ts";
import type { Account } from "../tokens.ts";
import type { World } from "../world.ts";
import { type Answer, notFound, refusal } from "./answer.ts";
import { authorize } from "./authorize.ts";
import { conditional } from "./conditional.ts";
import { onWire, rateHeaders } from "./on-wire.ts";
import type { Operation } from "./operation.ts";
import { deliveryOf, shapeAnswer, takesEffect } from "./shape-answer.ts";

/** One request to the API: where it goes and how it was addressed. */
export interface Target {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly api: string;
}

const NO_HIT: Hit = { delaySeconds: { before: 0, after: 0 }, fault: undefined };

/** Answers a request to GitHub's API: faults, then who asks, the operation, and what it costs. */
export async function serveOperation(
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
  record(world, { target, request, body, operation: found?.operation.name, status, account: carried?.account });
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
}

function record(world: World, { target, request, body, operation, status, account }: Noted): void {
  const query = target.query.size > 0 ? `?${target.query}` : "";
  const token = account?.name ?? (request.headers.authorization === undefined ? "none" : "unknown");
  const asked = { method: request.method ?? "", path: `${target.path}${query}`, operation, token, status };
  world.note(body === "" ? asked : { ...asked, request: parse(body) });
}
