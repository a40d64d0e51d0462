import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { SimClock } from "../../clock/sim-clock.ts";
import { type Answer, type Delivery, deliver } from "../../http/deliver.ts";
import type { OperationRow } from "../operation-name.ts";
import { type Account, allows } from "../tokens.ts";
import type { World } from "../world.ts";
import { refusal } from "./answer.ts";

/** Sends what a caller gets to see, as GitHub does: JSON with charset, and a request id. */
export function send(response: ServerResponse, delivery: Delivery, clock: SimClock): void {
  const headers = { "x-github-request-id": randomBytes(16).toString("hex").toUpperCase() };
  deliver(response, delivery, clock, { json: "application/json; charset=utf-8", headers });
}

/** The rate limit as the headers of every answer tell it. */
export function rateHeaders({ limit, counted }: Account, clock: SimClock): Record<string, string> {
  const used = Math.min(counted, limit);
  return {
    "x-ratelimit-limit": String(limit),
    "x-ratelimit-remaining": String(limit - used),
    "x-ratelimit-used": String(used),
    "x-ratelimit-reset": String(Math.ceil(clock.now() / 1000) + 3600),
    "x-ratelimit-resource": "core",
  };
}

/** Judges a request in GitHub's order: token, rate limit, permission. Tells who asks, and why it goes no further. */
export function authorize(
  { tokens }: World,
  { needs }: OperationRow,
  request: IncomingMessage,
): { account?: Account; refused?: Answer } {
  // GitHub answers no request without a User-Agent.
  if (!request.headers["user-agent"]) {
    const message = "Request forbidden by administrative rules. Please make sure your request has a User-Agent header.";
    return { refused: refusal(403, message) };
  }
  const token = bearer(request);
  if (token === undefined) return { refused: refusal(401, "Requires authentication") };
  const account = tokens.get(token);
  if (account === undefined) return { refused: refusal(401, "Bad credentials") };
  if (account.counted >= account.limit)
    return { account, refused: refusal(403, "API rate limit exceeded for this token.") };
  if (allows(account, needs)) return { account };
  const whose = account.kind === "integration" ? "integration" : "personal access token";
  const headers = { "x-accepted-github-permissions": needs };
  return { account, refused: refusal(403, `Resource not accessible by ${whose}`, headers) };
}

/** Reads the token of `Authorization: Bearer …` or `token …`. */
export function bearer(request: IncomingMessage): string | undefined {
  return /^(?:bearer|token) +(\S+)$/i.exec(request.headers.authorization ?? "")?.[1];
}
