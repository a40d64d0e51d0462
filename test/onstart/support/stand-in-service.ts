import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { CallLog } from "./call-log.ts";

/** As GitHub names it, with the version. */
const RUNNER_PATH = "/download/actions-runner-linux-x64-2.337.0.tar.gz";

/** The calls by which a machine proves its key, and is given back. */
export const PROVEN = 'PUT {"state":"running"} → 200';
export const GIVEN_BACK = "DELETE → 200";

/** The service's answer to one request about the instance. */
export interface Answer {
  status: number;
  body?: unknown;
  /** Where a redirect leads. */
  location?: string;
  /** No answer is ever sent, and the connection stays open. */
  hangs?: boolean;
}

/** The machine's view of the service: one instance, one key. Fields may change while it runs. */
export interface StandInService extends AsyncDisposable {
  readonly url: string;
  readonly instanceId: number;
  readonly key: string;
  readonly runnerUrl: string;
  destroyed: boolean;
  /** A destroy's effect on the container, once it is answered. */
  onDestroyed: () => void;
  /** Its clock, in ms since the epoch; undefined sends no Date. */
  now: () => number | undefined;
  /** The answer to a method, given the body; undefined means the usual one. */
  answer: (method: string, body: string) => Answer | undefined;
}

/** Serves the instance, writing each request into `calls`, and the runner's tarball. */
export async function standInService(calls: CallLog, tarball: Buffer): Promise<StandInService> {
  const key = "f00dfeedf00dfeedf00dfeedf00dfeedf00dfeedf00dfeed";
  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function handle(request: IncomingMessage, response: ServerResponse) {
    if (request.url === RUNNER_PATH) {
      // As on GitHub, the download leads elsewhere.
      response.writeHead(302, { location: "/elsewhere" }).end();
    } else if (request.url === "/elsewhere") {
      calls.add("download");
      response.end(tarball);
    } else {
      await handleInstance(request, response);
    }
  }

  async function handleInstance(request: IncomingMessage, response: ServerResponse) {
    const method = request.method ?? "";
    const body = Buffer.concat(await request.toArray()).toString();
    const answer = service.answer(method, body) ?? usualAnswer(request);
    calls.add(`${method} ${body} → ${answer.status}`.replace("  ", " "));
    if (answer.hangs) return;
    send(response, answer, service.now());
    if (method === "DELETE" && service.destroyed) response.on("close", () => service.onDestroyed());
  }

  function usualAnswer({ method, url: path, headers }: IncomingMessage): Answer {
    const isRight = path === `/api/v0/instances/${service.instanceId}/` && headers.authorization === `Bearer ${key}`;
    if (!isRight) return { status: 401, body: { success: false, error: "auth_error" } };
    if (method === "GET") return { status: 200, body: { instances: service.destroyed ? null : { id: 7 } } };
    if (service.destroyed) return { status: 404, body: { success: false, error: "no_such_instance" } };
    service.destroyed = method === "DELETE";
    return { status: 200, body: { success: true } };
  }

  const service: StandInService = {
    url,
    instanceId: 7,
    key,
    runnerUrl: `${url}${RUNNER_PATH}`,
    destroyed: false,
    onDestroyed: () => undefined,
    now: () => Date.now(),
    answer: () => undefined,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return service;
}

function send(response: ServerResponse, { status, body, location }: Answer, now: number | undefined): void {
  response.sendDate = false;
  if (now !== undefined) response.setHeader("Date", new Date(now).toUTCString());
  if (location !== undefined) response.setHeader("Location", location);
  response.setHeader("Content-Type", "application/json");
  response.statusCode = status;
  response.end(JSON.stringify(body ?? { success: status < 400 }));
}
