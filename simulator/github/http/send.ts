import { randomBytes } from "node:crypto";
import type { ServerResponse } from "node:http";
import type { SimClock } from "../../clock/sim-clock.ts";
import type { Account } from "../tokens.ts";
import type { Answer } from "./answer.ts";

/** Sends an answer as GitHub does: JSON with its charset, a request id, and the time of the simulated clock. */
export function send(response: ServerResponse, answer: Answer, clock: SimClock): void {
  const body = prepare(response, answer, clock);
  if (answer.body === undefined) response.end();
  else response.end(body);
}

/** Sets status and headers, and gives the body that belongs to them. */
export function prepare(response: ServerResponse, answer: Answer, clock: SimClock): Buffer {
  response.statusCode = answer.status;
  response.setHeader("date", new Date(clock.now()).toUTCString());
  response.setHeader("x-github-request-id", randomBytes(16).toString("hex").toUpperCase());
  const { body } = answer;
  const raw = typeof body === "string" || Buffer.isBuffer(body);
  if (body !== undefined && !raw) response.setHeader("content-type", "application/json; charset=utf-8");
  for (const [name, value] of Object.entries(answer.headers ?? {})) response.setHeader(name, value);
  if (Buffer.isBuffer(body)) return body;
  return Buffer.from(typeof body === "string" ? body : (JSON.stringify(body) ?? ""));
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
