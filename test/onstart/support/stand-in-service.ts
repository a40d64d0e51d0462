import type { IncomingMessage, ServerResponse } from "node:http";
import { serveHere } from "../../contract/support/local-server.ts";
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

/** The machine's view of the service: one instance, one key, and the runner's tarball. Fields may change while it runs. */
export type StandInService = Awaited<ReturnType<typeof standInService>>;

/** Starts it; each request is written into `calls`. */
export async function standInService(calls: CallLog, tarball: Buffer) {
  const service = {
    instanceId: 7,
    key: "f00dfeedf00dfeedf00dfeedf00dfeedf00dfeedf00dfeed",
    destroyed: false,
    /** A destroy's effect on the container, once it is answered. */
    onDestroyed: (): unknown => undefined,
    /** Its clock, in ms since the epoch; undefined sends no Date. */
    now: (): number | undefined => Date.now(),
    /** The answer to a method; undefined means the usual one. */
    answer: (_method: string): Answer | undefined => undefined,
  };
  const usualAnswer = ({ method, url, headers }: IncomingMessage): Answer => {
    const isRight =
      url === `/api/v0/instances/${service.instanceId}/` && headers.authorization === `Bearer ${service.key}`;
    if (!isRight) return { status: 401, body: { success: false, error: "auth_error" } };
    if (method === "GET") return { status: 200, body: { instances: service.destroyed ? null : { id: 7 } } };
    if (service.destroyed) return { status: 404, body: { success: false, error: "no_such_instance" } };
    service.destroyed = method === "DELETE";
    return { status: 200, body: { success: true } };
  };
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    // As on GitHub, the download leads elsewhere.
    if (request.url === RUNNER_PATH) return void response.writeHead(302, { location: "/elsewhere" }).end();
    if (request.url === "/elsewhere") {
      calls.add("download");
      return void response.end(tarball);
    }
    const method = String(request.method);
    const body = Buffer.concat(await request.toArray()).toString();
    const answer = service.answer(method) ?? usualAnswer(request);
    calls.add(`${method} ${body} → ${answer.status}`.replace("  ", " "));
    if (answer.hangs) return;
    send(response, answer, service.now());
    if (method === "DELETE" && service.destroyed) response.on("close", () => service.onDestroyed());
  };
  const server = await serveHere((request, response) => {
    handle(request, response).catch((error: Error) => response.destroy(error));
  });
  return Object.assign(service, server, { runnerUrl: `${server.url}${RUNNER_PATH}` });
}

function send(response: ServerResponse, { status, body, location }: Answer, now: number | undefined): void {
  response.sendDate = false;
  if (now !== undefined) response.setHeader("Date", new Date(now).toUTCString());
  if (location !== undefined) response.setHeader("Location", location);
  response.setHeader("Content-Type", "application/json");
  response.statusCode = status;
  response.end(JSON.stringify(body ?? { success: status < 400 }));
}
