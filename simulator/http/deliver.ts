import type { ServerResponse } from "node:http";
import type { SimClock } from "../clock/sim-clock.ts";

/** An answer: `body` is sent as JSON, bytes and `text` as they are; with neither there is no body at all, as with 204. */
export interface Answer {
  readonly status: number;
  readonly body?: unknown;
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/**
 * The part of an answer that arrives: all, its first bytes, bit by bit over so many simulated
 * seconds, a broken connection, or nothing.
 */
export type Delivery =
  | { readonly how: "answer"; readonly answer: Answer }
  | { readonly how: "truncated"; readonly answer: Answer; readonly bytes: number }
  | { readonly how: "dripped"; readonly answer: Answer; readonly seconds: number }
  | { readonly how: "cut" }
  | { readonly how: "silence" };

/**
 * Sends what a caller gets to see, with the simulated time of day as its date, or leaves it waiting. `own`:
 * the content type of this server's JSON, and headers of all its answers.
 */
export function deliver(
  response: ServerResponse,
  delivery: Delivery,
  clock: SimClock,
  own: { json?: string; headers?: Readonly<Record<string, string>> } = {},
): void {
  if (delivery.how === "silence") return;
  if (delivery.how === "cut") return void response.socket?.destroy();
  const { status, headers } = delivery.answer;
  const { bytes, type } = bodyOf(delivery.answer, own.json);
  // The machines read the time of day from this header.
  const date = new Date(clock.now()).toUTCString();
  const ofBody = bytes && type && { "content-type": type, "content-length": bytes.length };
  response.writeHead(status, { date, ...ofBody, ...own.headers, ...headers });
  if (delivery.how === "truncated") sendStart(response, (bytes ?? Buffer.of()).subarray(0, delivery.bytes));
  else if (delivery.how === "dripped") drip(response, bytes ?? Buffer.of(), { clock, seconds: delivery.seconds });
  else response.end(bytes);
}

/** The bytes of a body, none where there is none, and their content type. */
function bodyOf({ body, text }: Answer, json = "application/json"): { bytes?: Buffer; type?: string } {
  if (text !== undefined) return { bytes: Buffer.from(text), type: "text/plain" };
  if (Buffer.isBuffer(body)) return { bytes: body, type: "application/octet-stream" };
  return body === undefined ? {} : { bytes: Buffer.from(JSON.stringify(body)), type: json };
}

function sendStart(response: ServerResponse, start: Buffer): void {
  response.flushHeaders();
  // Destroyed only after the bytes are out, else the caller might see nothing at all.
  response.write(start, () => response.socket?.end(() => response.socket?.destroy()));
}

const PIECES = 10;

/** Sends a body in ten pieces over so many simulated seconds, after the head, until a break. */
function drip(response: ServerResponse, body: Buffer, { clock, seconds }: { clock: SimClock; seconds: number }): void {
  const size = Math.max(1, Math.ceil(body.length / PIECES));
  const next = (from: number) => {
    if (response.destroyed) return;
    if (from >= body.length) return void response.end();
    const send = () => response.write(body.subarray(from, from + size), () => next(from + size));
    clock.after((seconds * 1000) / PIECES, send);
  };
  response.flushHeaders();
  next(0);
}
