import type { ServerResponse } from "node:http";
import type { SimClock } from "../clock/sim-clock.ts";

/** An answer as it goes over the line. */
export interface WireAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined: none at all, as with 204. */
  readonly body: Buffer | undefined;
}

/**
 * The part of an answer that arrives: all, its first bytes, bit by bit over so many simulated
 * seconds, a broken connection, or nothing.
 */
export type Delivery<Answer = WireAnswer> =
  | { readonly how: "answer"; readonly answer: Answer }
  | { readonly how: "truncated"; readonly answer: Answer; readonly bytes: number }
  | { readonly how: "dripped"; readonly answer: Answer; readonly seconds: number }
  | { readonly how: "cut" }
  | { readonly how: "silence" };

/** Sends what a caller gets to see, with the simulated time of day as its date, or leaves it waiting. */
export function deliver(response: ServerResponse, delivery: Delivery, clock: SimClock): void {
  if (delivery.how === "silence") return;
  if (delivery.how === "cut") {
    response.socket?.destroy();
    return;
  }
  const { status, headers, body } = delivery.answer;
  // The machines read the time of day from this header.
  const date = new Date(clock.now()).toUTCString();
  response.writeHead(status, { date, ...headers, ...(body && { "content-length": body.length }) });
  if (delivery.how === "truncated") sendStart(response, (body ?? Buffer.of()).subarray(0, delivery.bytes));
  else if (delivery.how === "dripped") drip(response, body ?? Buffer.of(), { clock, seconds: delivery.seconds });
  else response.end(body);
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
