import type { IncomingMessage } from "node:http";
import { type Account, allows } from "../tokens.ts";
import type { World } from "../world.ts";
import { type Answer, refusal } from "./answer.ts";
import type { Operation } from "./operation.ts";

/** Who asks, or why the request goes no further. */
export type Authorization = { account: Account; refused?: undefined } | { account?: Account; refused: Answer };

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
