import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";

/** One request and the place for its answer. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Path and query; whose address it is does not matter. */
  readonly url: URL;
  /** Aborted when the server closes. */
  readonly closing: AbortSignal;
}

/** Who answers the requests of a server. */
interface Serving {
  /** 0: any free one. */
  readonly port: number;
  handle(exchange: Exchange): Promise<void>;
  /** A mistake of the stand-in itself; not called for a connection that broke. */
  failed(fault: unknown, exchange: Exchange): void;
}

/** The request tells nothing of it: it counts as destroyed as soon as its body is read. */
function isBroken({ destroyed, socket }: ServerResponse): boolean {
  return destroyed || socket === null || socket.destroyed;
}

/** Each request is held for up to so many real ms: a test that hangs on timing shows by it. */
const JITTER_MS = Number(process.env.SIM_JITTER_MS ?? 0);

/** Outlasts clients' pauses: closing a connection under a request looks like a lost answer. */
const KEEP_ALIVE_MS = 600_000;

/** Starts a server on 127.0.0.1; rejects when the port is taken. Disposing of it breaks all connections. */
export async function serveHttp({ port, handle, failed }: Serving) {
  const closing = new AbortController();
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://stand-in.invalid");
    const exchange = { request, response, url, closing: closing.signal };
    // Most are held shortly, some for long.
    const held = JITTER_MS > 0 ? setTimeout(Math.random() ** 2 * JITTER_MS) : Promise.resolve();
    held
      .then(() => handle(exchange))
      .catch((fault: unknown) => {
        // A request that the closing server or its caller cuts short is no fault of the stand-in.
        if (!closing.signal.aborted && !isBroken(response)) failed(fault, exchange);
        if (!response.writableEnded) response.destroy();
      });
  });
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  // The simulated clock may stand still for minutes of a debugging session.
  server.requestTimeout = 0;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      closing.abort(new Error("The server closes."));
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}
