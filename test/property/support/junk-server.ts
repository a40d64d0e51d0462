import type { Clock } from "../../../src/shared/clock.ts";
import { serveHere } from "../../contract/support/local-server.ts";

/** One answer as it goes over the wire. */
export interface JunkAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** A server of this machine that gives every request the same answer, whatever it asks. */
export type JunkServer = Awaited<ReturnType<typeof junkServer>>;

/** Starts it; disposing of it closes every connection. */
export async function junkServer() {
  const answer: JunkAnswer = { status: 200, headers: {}, body: "{}" };
  /** What it answers, and how many requests there were. */
  const junk = { answer, asked: 0 };
  const server = await serveHere((request, response) => {
    request.resume();
    junk.asked += 1;
    const { status, headers, body } = junk.answer;
    response.writeHead(status, headers).end(body);
  });
  return Object.assign(junk, server);
}

/** A clock on which every wait is over at once. */
export function hurriedClock(): Clock {
  let now = Date.UTC(2026, 0, 1);
  return {
    now: () => now,
    async sleep(milliseconds, signal) {
      signal?.throwIfAborted();
      now += Math.max(0, milliseconds);
    },
  };
}
