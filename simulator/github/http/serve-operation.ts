import type { IncomingMessage, ServerResponse } from "node:http";
import type { Fault } from "../faults.ts";
import { OPERATIONS } from "../operations/all-operations.ts";
import type { Account } from "../tokens.ts";
import type { World } from "../world.ts";
import { type Answer, notFound, refusal } from "./answer.ts";
import { authorize } from "./authorize.ts";
import { conditional } from "./conditional.ts";
import { matchPath } from "./match-path.ts";
import type { Operation } from "./operation.ts";
import { readBody } from "./read-body.ts";
import { rateHeaders, send } from "./send.ts";

/** One request to the API: where it goes and how it was addressed. */
export interface Target {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly api: string;
}

/** Answers a request to GitHub's API: faults first, then who asks, then the operation, then what it costs. */
export async function serveOperation(
  world: World,
  { target, request, response }: { target: Target; request: IncomingMessage; response: ServerResponse },
): Promise<void> {
  const found = findOperation(request.method, target.path);
  const body = await readBody(request);
  const hit = found && world.faults.take(found.operation.name);
  if (hit) await world.clock.sleep(hit.delaySeconds * 1000);
  const note = (status: number | "no answer", account?: Account) =>
    record(world, { target, request, operation: found?.operation.name, status, account });
  const kind = hit?.fault?.kind;
  if (kind === "reset") response.destroy();
  if (kind === "reset" || kind === "never-answer") return note("no answer");
  const { answer, account } =
    hit?.fault?.kind === "status"
      ? { answer: faulty(hit.fault), account: undefined }
      : answerTo(world, { target, request, found, body });
  if (kind === "lose-answer") {
    response.destroy();
    return note("no answer", account);
  }
  note(answer.status, account);
  send(response, answer, world.clock);
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
}

function answerTo(world: World, { target, request, found, body }: Request): { answer: Answer; account?: Account } {
  if (found === undefined) return { answer: notFound() };
  const { account, refused } = authorize(world, found.operation, request);
  const plain = refused ?? carryOut(world, { found, target, body, account });
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

function faulty({ status, body, headers = {} }: Extract<Fault, { kind: "status" }>): Answer {
  return body === undefined ? refusal(status, "Fault of the test", headers) : { status, body, headers };
}

interface Noted {
  readonly target: Target;
  readonly request: IncomingMessage;
  readonly operation: string | undefined;
  readonly status: number | "no answer";
  readonly account: Account | undefined;
}

function record(world: World, { target, request, operation, status, account }: Noted): void {
  const query = target.query.size > 0 ? `?${target.query}` : "";
  const token = account?.name ?? (request.headers.authorization === undefined ? "none" : "unknown");
  world.note({ method: request.method ?? "", path: `${target.path}${query}`, operation, token, status });
}
