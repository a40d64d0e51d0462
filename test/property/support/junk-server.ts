import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Clock } from "../../../src/shared/clock.ts";

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
  const server = createServer((request, response) => {
    request.resume();
    junk.asked += 1;
    const { status, headers, body } = junk.answer;
    response.writeHead(status, headers).end(body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const answer: JunkAnswer = { status: 200, headers: {}, body: "{}" };
  const junk = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answer,
    /** How many requests there were. */
    asked: 0,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return junk;
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
