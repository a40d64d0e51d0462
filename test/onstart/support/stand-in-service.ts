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

/** The machine's view of the service: one instance, one key, and the runner's tarball. Fields may change while it runs. */
export class StandInService implements AsyncDisposable {
  readonly instanceId = 7;
  readonly key = "f00dfeedf00dfeedf00dfeedf00dfeedf00dfeedf00dfeed";
  destroyed = false;
  /** A destroy's effect on the container, once it is answered. */
  onDestroyed = (): unknown => undefined;
  /** Its clock, in ms since the epoch; undefined sends no Date. */
  now = (): number | undefined => Date.now();
  /** The answer to a method; undefined means the usual one. */
  answer = (_method: string): Answer | undefined => undefined;
  readonly #calls: CallLog;
  readonly #server = createServer((request, response) => {
    this.#handle(request, response).catch((error: unknown) =>
      response.destroy(error instanceof Error ? error : undefined),
    );
  });
  readonly #tarball: Buffer;

  private constructor(calls: CallLog, tarball: Buffer) {
    this.#calls = calls;
    this.#tarball = tarball;
  }

  /** Starts it; each request is written into `calls`. */
  static async start(calls: CallLog, tarball: Buffer): Promise<StandInService> {
    const service = new StandInService(calls, tarball);
    service.#server.listen(0, "127.0.0.1");
    await once(service.#server, "listening");
    return service;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get runnerUrl(): string {
    return `${this.url}${RUNNER_PATH}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // As on GitHub, the download leads elsewhere.
    if (request.url === RUNNER_PATH) return void response.writeHead(302, { location: "/elsewhere" }).end();
    if (request.url === "/elsewhere") {
      this.#calls.add("download");
      return void response.end(this.#tarball);
    }
    const method = request.method ?? "";
    const body = Buffer.concat(await request.toArray()).toString();
    const answer = this.answer(method) ?? this.#usualAnswer(request);
    this.#calls.add(`${method} ${body} → ${answer.status}`.replace("  ", " "));
    if (answer.hangs) return;
    this.#send(response, answer);
    if (method === "DELETE" && this.destroyed) response.on("close", () => this.onDestroyed());
  }

  #usualAnswer({ method, url, headers }: IncomingMessage): Answer {
    const isRight = url === `/api/v0/instances/${this.instanceId}/` && headers.authorization === `Bearer ${this.key}`;
    if (!isRight) return { status: 401, body: { success: false, error: "auth_error" } };
    if (method === "GET") return { status: 200, body: { instances: this.destroyed ? null : { id: 7 } } };
    if (this.destroyed) return { status: 404, body: { success: false, error: "no_such_instance" } };
    this.destroyed = method === "DELETE";
    return { status: 200, body: { success: true } };
  }

  #send(response: ServerResponse, { status, body, location }: Answer): void {
    const now = this.now();
    response.sendDate = false;
    if (now !== undefined) response.setHeader("Date", new Date(now).toUTCString());
    if (location !== undefined) response.setHeader("Location", location);
    response.setHeader("Content-Type", "application/json");
    response.statusCode = status;
    response.end(JSON.stringify(body ?? { success: status < 400 }));
  }
}
