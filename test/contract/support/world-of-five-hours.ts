import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Clock } from "../../../src/shared/clock.ts";

/** A trouble, from when to when, in seconds from the start. */
export interface Trouble {
  from: number;
  to: number;
  side: "github" | "service";
  kind: "down" | "refused" | "rate-limit" | "reset" | "page" | "silent-host";
}

/** One request that was answered. */
export interface Answered {
  at: number;
  path: string;
  /** 0: the connection was cut. */
  status: number;
  token: string;
}

/** GitHub and the service for one machine and its job, under a clock that nobody waits for. */
export interface LongWorld extends AsyncDisposable {
  readonly url: string;
  readonly clock: Clock & { elapsed(): number };
  readonly answered: readonly Answered[];
}

const STARTS = 40;
const RUNNER = { id: 21, name: "gpu-4711-1-abcdef-1" };

/** Starts both on one port. The job begins after 40 s; all ends after `jobSeconds`. */
export async function longWorld(jobSeconds: number, troubles: readonly Trouble[]): Promise<LongWorld> {
  const clock = forwardClock();
  const answered: Answered[] = [];
  const server = createServer((request, response) => {
    request.resume();
    const at = clock.elapsed();
    const side = request.url?.startsWith("/api/v") ? "service" : "github";
    const trouble = troubles.find((each) => each.side === side && at >= each.from && at < each.to);
    const token = (request.headers.authorization ?? "").replace(/^\S+ /, "");
    const note = (status: number) => void answered.push({ at, path: request.url ?? "", status, token });
    response.on("finish", () => note(response.statusCode));
    if (trouble?.kind === "reset") note(0);
    if (isTroubled(response, trouble)) return;
    if (side === "service") sendInstance(request, response, at < jobSeconds, trouble?.kind === "silent-host");
    else sendGithub(request, response, at, jobSeconds);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    clock,
    answered,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Each wait is over at once, and time is where it would be after it. */
function forwardClock(): LongWorld["clock"] {
  const start = Date.UTC(2026, 0, 1);
  let now = start;
  return {
    now: () => now,
    elapsed: () => (now - start) / 1000,
    async sleep(milliseconds, signal) {
      signal?.throwIfAborted();
      // Whole milliseconds: of the drawn pauses' fractions, rounding errors would add up.
      now += Math.ceil(Math.max(0, milliseconds));
    },
  };
}

function isTroubled(response: ServerResponse, trouble: Trouble | undefined): boolean {
  switch (trouble?.kind) {
    case "down":
      send(response, 503, { message: "Unicorn" });
      return true;
    case "refused":
      send(response, 401, { message: "Bad credentials" });
      return true;
    case "rate-limit":
      send(
        response,
        trouble.side === "github" ? 403 : 429,
        { message: "API rate limit exceeded" },
        { "x-ratelimit-remaining": "0" },
      );
      return true;
    case "page":
      response.writeHead(200, { "content-type": "text/html" }).end("<html>Sign in to the guest network</html>");
      return true;
    case "reset":
      response.destroy();
      return true;
    default:
      return false;
  }
}

/** The list, or the one instance where it is asked for by its id. */
function sendInstance(
  { url = "" }: IncomingMessage,
  response: ServerResponse,
  isThere: boolean,
  isSilent: boolean,
): void {
  const instance = { id: 7, label: "ghr1.1.4711-1.abcdef.1.1", actual_status: isSilent ? "offline" : "running" };
  if (/\/instances\/7\b/.test(url)) send(response, 200, { instances: isThere ? instance : null });
  else send(response, 200, { instances: isThere ? [instance] : [], next_token: null });
}

function sendGithub(request: IncomingMessage, response: ServerResponse, at: number, jobSeconds: number): void {
  const { headers, method, url = "" } = request;
  const known = headers["if-none-match"];
  if (method === "POST") send(response, 201, { runner: { id: RUNNER.id }, encoded_jit_config: "e30=".repeat(8) });
  else if (url.includes("/jobs")) sendJobs(response, known, jobAt(at, jobSeconds), at);
  else if (known === '"online"') response.writeHead(304).end();
  else
    send(
      response,
      200,
      { total_count: 1, runners: [{ ...RUNNER, status: "online", busy: true, labels: [] }] },
      { etag: '"online"' },
    );
}

/** A running job changes its list with each of its steps: every minute, here. */
function sendJobs(response: ServerResponse, known: string | undefined, job: { status: string }, at: number): void {
  const etag = `"${job.status}-${Math.floor(at / 60)}"`;
  if (known === etag) response.writeHead(304).end();
  else send(response, 200, { total_count: 2, jobs: [OWN, job] }, { etag, "x-ratelimit-remaining": "900" });
}

const OWN = { id: 1, name: "rent", status: "in_progress", labels: ["ubuntu-latest"], runner_name: "hosted-1" };

function jobAt(at: number, jobSeconds: number) {
  const job = { id: 2, name: "test", labels: ["gpu-4711-1"], html_url: "https://github.example/job/2" };
  if (at < STARTS) return { ...job, status: "queued" };
  const running = { ...job, runner_id: RUNNER.id, runner_name: RUNNER.name };
  return at < jobSeconds
    ? { ...running, status: "in_progress" }
    : { ...running, status: "completed", conclusion: "success" };
}

function send(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}
