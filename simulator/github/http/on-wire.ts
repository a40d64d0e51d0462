import { randomBytes } from "node:crypto";
import type { SimClock } from "../../clock/sim-clock.ts";
import type { WireAnswer } from "../../http/deliver.ts";
import type { Account } from "../tokens.ts";
import type { Answer } from "./answer.ts";

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
