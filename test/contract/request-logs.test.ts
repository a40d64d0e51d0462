import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import type { Fault } from "../../simulator/scenario/fault.ts";
import type { MachineHost } from "../../simulator/service/containers/machine-host.ts";
import {
  NoAnswerError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerError,
  UnexpectedAnswerError,
} from "../../src/marketplace/errors.ts";
import { Connection } from "../../src/marketplace/vast/connection.ts";
import { fetchLogFile, ServiceClient } from "../../src/marketplace/vast/service-client.ts";
import { systemClock } from "../../src/shared/clock.ts";
import { until } from "../simulator/support/until.ts";
import { rent, type ServiceUnderContract, startContract } from "./support/service-under-contract.ts";

/** Machines that have printed this. */
function printing(text: string): MachineHost {
  return { start() {}, stop: async () => {}, destroy: async () => {}, containerLog: () => text };
}

const addressed = (result_url: string) => ({ success: true, result_url });
const LINES = Array.from({ length: 50 }, (_none, index) => `line ${index + 1}`);

/** The container's last lines, of an instance that was just made. */
async function ask(service: ServiceUnderContract, client: ServiceClient = service.client, signal?: AbortSignal) {
  const id = await rent(service);
  service.clock.advance(60);
  return await client.requestLogs({ id, tail: 3, log: "container" }, signal);
}

async function observed(...faults: Fault[]) {
  return await startContract("observed", { machines: printing(`${LINES.join("\n")}\n`), scenario: { faults } });
}

describe("dialect observed", () => {
  test("the last lines of the container's log, as soon as their file is there; the key does not travel to it", async () => {
    await using service = await observed();
    expect((await ask(service)).split("\n")).toEqual(["line 48", "line 49", "line 50"]);
    const files = service.sim.journal.of("getLogFile");
    expect(files.map(({ status }) => status)).toEqual([404, 404, 404, 200]);
    expect(new Set(files.map(({ caller }) => caller))).toEqual(new Set(["anonymous"]));
    expect(service.sim.journal.strays()).toEqual([]);
  });

  test("the daemon's log: what the host said while it booted", async () => {
    await using service = await observed();
    const id = await rent(service);
    service.clock.advance(60);
    const text = await service.client.requestLogs({ id, tail: 20, log: "daemon" });
    expect(text).toContain("loading: 5a7813e071bf: Pulling fs layer");
    expect(text.split("\n").at(-1)).toContain("running: success, running debian_13/ssh");
  });

  test("the lines can be filtered", async () => {
    await using service = await observed();
    const id = await rent(service);
    const body = { tail: "1000", filter: "line 4" };
    const answer = await service.call("PUT", `/api/v0/instances/request_logs/${id}/`, body);
    const { pathname, search } = new URL(Object(answer.body).result_url);
    service.clock.advance(1);
    const { text } = await service.call("GET", pathname + search, undefined, { key: null });
    expect(text.split("\n")).toEqual(["line 4", ...Array.from({ length: 10 }, (_none, index) => `line ${index + 40}`)]);
  });

  test("both logs, one after the other, keep the service's interval", async () => {
    await using service = await startContract("observed", { scenario: { limits: true } });
    const id = await rent(service);
    for (const log of ["container", "daemon"] as const) await service.client.requestLogs({ id, tail: 3, log });
    expect(service.sim.journal.of("requestLogs").map(({ status }) => status)).toEqual([200, 200]);
  });

  test("of an instance that is gone there are none, and a key without the permission is told which", async () => {
    await using service = await startContract("observed", { keys: [{ key: "poor", scopes: [] }] });
    const asked = { id: 7, tail: 3, log: "container" } as const;
    await expect(service.client.requestLogs(asked)).rejects.toBeInstanceOf(NotFoundError);
    const refused = service.connect({ apiKey: "poor" }).requestLogs(asked);
    await expect(refused).rejects.toBeInstanceOf(PermissionError);
    await expect(refused).rejects.toMatchObject({ hint: expect.stringContaining("instance_read") });
  });

  test("a file that never appears: gives up after 5 s", async () => {
    await using service = await observed({ operation: "getLogFile", kind: "status", status: 403 });
    await expect(ask(service)).rejects.toBeInstanceOf(NoAnswerError);
    const [asked] = service.sim.journal.of("requestLogs");
    expect(service.clock.now() - Number(asked?.at)).toBeLessThanOrEqual(5000);
    expect(service.sim.journal.of("getLogFile").length).toBeLessThan(20);
  });

  test.each([
    ["5xx", { kind: "status", status: 502 }, ServerError],
    ["429", { kind: "text", status: 429, text: "API requests too frequent" }, RateLimitError],
    ["a connection that breaks", { kind: "refuse" }, NoAnswerError],
    ["no address", { kind: "status", status: 200, body: { success: true } }, UnexpectedAnswerError],
    [
      "http elsewhere",
      { kind: "status", status: 200, body: addressed("http://203.0.113.1/log") },
      UnexpectedAnswerError,
    ],
    ["another scheme", { kind: "status", status: 200, body: addressed("file:///etc/passwd") }, UnexpectedAnswerError],
    ["no address at all", { kind: "status", status: 200, body: addressed("the log") }, UnexpectedAnswerError],
  ])("is asked once, when the answer is %s", async (_what, fault, kind) => {
    await using service = await observed({ operation: "requestLogs", ...fault } as Fault);
    await expect(ask(service)).rejects.toBeInstanceOf(kind);
    expect(service.sim.journal.of("requestLogs")).toHaveLength(1);
  });

  test("a file whose connection breaks is no text", async () => {
    await using service = await observed({ operation: "getLogFile", kind: "truncate", bytes: 4 });
    await expect(ask(service)).rejects.toBeInstanceOf(NoAnswerError);
  });

  test("a cancel ends it at once, with its own reason", async () => {
    await using service = await observed({ operation: "getLogFile", kind: "never-answer" });
    const cancel = new AbortController();
    const ended = expect(ask(service, service.client, cancel.signal)).rejects.toThrow("stop");
    await until(() => service.sim.journal.of("getLogFile").length > 0);
    cancel.abort(new Error("stop"));
    await ended;
  });
});

test("dialect seed: there are no logs, and that is what it says", async () => {
  await using service = await startContract("seed");
  await expect(ask(service)).rejects.toBeInstanceOf(NotFoundError);
  expect(service.sim.journal.of("requestLogs")).toHaveLength(1);
});

test("a service elsewhere can't make us ask this machine's own ports", async () => {
  const connection = new Connection({ baseUrl: "https://service.example", apiKey: "the-key", clock: systemClock });
  const { signal } = new AbortController();
  const fetching = { connection, clock: systemClock, until: Date.now() + 5000, signal };
  for (const address of ["http://127.0.0.1:1/", "https://localhost:1/"])
    await expect(fetchLogFile(address, fetching)).rejects.toThrow("not an https address");
  await connection.close();
});

/** A service and a store in one, whose file is answered as the test says. */
async function store(answer: (response: ServerResponse, request: IncomingMessage) => void) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    if (request.method !== "PUT") return answer(response, request);
    request.resume();
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ success: true, result_url: `http://127.0.0.1:${port()}/file` }));
  });
  const port = () => {
    const address = server.address();
    return typeof address === "object" && address !== null ? address.port : 0;
  };
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const client = new ServiceClient({ baseUrl: `http://127.0.0.1:${port()}`, apiKey: "the-key", clock: systemClock });
  return {
    asked,
    client,
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]();
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

describe("the file", () => {
  test("a redirect is not followed", async () => {
    await using service = await store((response) => response.writeHead(302, { location: "/elsewhere" }).end());
    await expect(service.client.requestLogs({ id: 7, tail: 3, log: "container" })).rejects.toThrow(
      UnexpectedAnswerError,
    );
    expect(service.asked).toEqual(["PUT /api/v0/instances/request_logs/7/", "GET /file"]);
  });

  test("of any size: 64 KB of it are read, and no half line", async () => {
    const line = `${"x".repeat(99)}\n`;
    const closed = Promise.withResolvers<boolean>();
    await using service = await store((response) => {
      response.on("close", () => closed.resolve(response.writableFinished));
      response.write(line.repeat(1000));
      // It never ends.
      const more = setInterval(() => response.write(line.repeat(1000)), 1);
      response.on("close", () => clearInterval(more));
    });
    const text = await service.client.requestLogs({ id: 7, tail: 3, log: "container" });
    expect(text.length).toBeLessThanOrEqual(65_536);
    expect(text.length).toBeGreaterThan(65_000);
    expect(new Set(text.split("\n"))).toEqual(new Set(["x".repeat(99)]));
    expect(await closed.promise, "the whole of it was sent").toBe(false);
  });
});
