import type { ServerResponse } from "node:http";
import type { SimClock } from "../clock/sim-clock.ts";

const PIECES = 10;

/** Sends a body in ten pieces over so many simulated seconds, after the head, until a break. */
export function drip(response: ServerResponse, body: Buffer, { clock, seconds }: { clock: SimClock; seconds: number }) {
  const size = Math.max(1, Math.ceil(body.length / PIECES));
  const next = (from: number) => {
    if (response.destroyed) return;
    if (from >= body.length) response.end();
    else
      clock.after((seconds * 1000) / PIECES, () =>
        response.write(body.subarray(from, from + size), () => next(from + size)),
      );
  };
  response.flushHeaders();
  next(0);
}
