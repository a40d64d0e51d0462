import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { SimClock } from "../../clock/sim-clock.ts";
import type { Delivery, WireAnswer } from "../../http/deliver.ts";
import type { ShapingFault } from "../faults.ts";
import { type Account, allows } from "../tokens.ts";
import type { World } from "../world.ts";
import { type Answer, refusal } from "./answer.ts";
import type { Operation } from "./operation.ts";

/** Whether a request under this fault takes effect. */
export function takesEffect(fault: ShapingFault | undefined): boolean {
  switch (fault?.kind) {
    case "reset":
      return false;
    case "status":
    case "text":
    case "never-answer":
      return fault.when === "after";
    default:
      return true;
  }
}

/** The answer under a fault, `answer` without it; undefined: nothing is sent. */
export function shapeAnswer(fault: ShapingFault | undefined, answer: Answer | undefined): Answer | undefined {
  switch (fault?.kind) {
    case "reset":
    case "lose-answer":
    case "never-answer":
      return undefined;
    case "status": {
      const { status, body, headers = {} } = fault;
      return body === undefined ? refusal(status, "Fault of the test", headers) : { status, body, headers };
    }
    case "text":
      return { status: fault.status ?? 200, body: fault.text, headers: { "content-type": "text/html" } };
    default:
      return answer;
  }
}

/** How an answer is sent under a fault; undefined is sent as a broken connection, or not at all. */
export function deliveryOf(fault: ShapingFault | undefined, answer: Answer | undefined): Delivery<Answer> {
  if (answer === undefined) return { how: fault?.kind === "never-answer" ? "silence" : "cut" };
  if (fault?.kind === "drip") return { how: "dripped", answer, seconds: fault.seconds };
  if (fault?.kind === "truncate") return { how: "truncated", answer, bytes: fault.bytes };
  return { how: "answer", answer };
}

/** An answer as GitHub sends it: JSON with charset, request id, the time of the simulated clock. */
export function onWire({ status, body, headers }: Answer, clock: SimClock): WireAnswer {
  const isRaw = typeof body === "string" || Buffer.isBuffer(body);
  const own = {
    date: new Date(clock.now()).toUTCString(),
    "x-github-request-id": randomBytes(16).toString("hex").toUpperCase(),
    ...(body !== undefined && !isRaw && { "content-type": "application/json; charset=utf-8" }),
  };
  const bytes = body === undefined ? undefined : Buffer.from(isRaw ? body : JSON.stringify(body));
  return { status, headers: { ...own, ...headers }, body: bytes };
}

/** The rate limit as the headers of every answer tell it. */
export function rateHeaders(account: Account): Record<string, string> {
  return {
    "x-ratelimit-limit": String(account.limit),
    "x-ratelimit-remaining": String(account.limit - account.used),
    "x-ratelimit-used": String(account.used),
    "x-ratelimit-reset": String(Math.ceil(account.resetAt / 1000)),
    "x-ratelimit-resource": "core",
  };
}

/** Who asks, or why the request goes no further. */
type Authorization = { account: Account; refused?: undefined } | { account?: Account; refused: Answer };

/** Judges a request in GitHub's order: token, rate limit, permission. */
export function authorize(world: World, operation: Operation, request: IncomingMessage): Authorization {
  // GitHub answers no request without a User-Agent.
  if (!request.headers["user-agent"]) {
    const message = "Request forbidden by administrative rules. Please make sure your request has a User-Agent header.";
    return { refused: refusal(403, message) };
  }
  const token = bearer(request);
  if (token === undefined) return { refused: refusal(401, "Requires authentication") };
  const account = world.tokens.find(token);
  if (account === undefined) return { refused: refusal(401, "Bad credentials") };
  world.tokens.refresh(account);
  if (account.used >= account.limit) {
    return { account, refused: refusal(403, "API rate limit exceeded for this token.") };
  }
  if (!allows(account, operation.permission)) return { account, refused: lacking(account, operation) };
  return { account };
}

/** Reads the token of `Authorization: Bearer …` or `token …`. */
export function bearer(request: IncomingMessage): string | undefined {
  return /^(?:bearer|token) +(\S+)$/i.exec(request.headers.authorization ?? "")?.[1];
}

function lacking(account: Account, operation: Operation): Answer {
  const whose = account.kind === "integration" ? "integration" : "personal access token";
  const headers = { "x-accepted-github-permissions": operation.permission };
  return refusal(403, `Resource not accessible by ${whose}`, headers);
}
