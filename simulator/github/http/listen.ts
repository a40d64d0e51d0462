import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { World } from "../world.ts";
import { refusal } from "./answer.ts";
import { send } from "./send.ts";
import { serveOperation } from "./serve-operation.ts";
import { serveRoute } from "./serve-route.ts";

/** GitHub Enterprise Server has its API there; the stand-in answers at both places. */
const ENTERPRISE_PREFIX = "/api/v3";

/** Listens on 127.0.0.1 (port 0: any free one) and tells the world its URL. */
export async function listen(world: World, port: number): Promise<Server> {
  const server = createServer((request, response) => {
    serve(world, request, response).catch((error: unknown) => {
      // A connection that broke while its body was read needs no answer.
      if (!response.destroyed && !response.headersSent) send(response, refusal(500, String(error)), world.clock);
    });
  });
  // Longer than any client keeps an idle connection, so that none is closed under a request that is on its way.
  server.keepAliveTimeout = 60_000;
  // The simulated clock may stand still for minutes of a debugging session.
  server.requestTimeout = 0;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  world.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return server;
}

function serve(world: World, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams: query } = new URL(request.url ?? "/", "http://stand-in");
  if (pathname.startsWith("/_")) return serveRoute(world, { path: pathname, query, request, response });
  const enterprise = pathname.startsWith(`${ENTERPRISE_PREFIX}/`);
  const prefix = enterprise ? ENTERPRISE_PREFIX : "";
  // Links lead to where the caller looked for GitHub, which need not be this address.
  const { host = new URL(world.url).host } = request.headers;
  const target = { path: pathname.slice(prefix.length), query, api: `http://${host}${prefix}` };
  return serveOperation(world, { target, request, response });
}
