import type { ServerResponse } from "node:http";
import { expect, test } from "vitest";
import type { Fault } from "../../simulator/scenario/fault.ts";
import type { MachineHost } from "../../simulator/service/containers/machine-host.ts";
import {
  NoAnswerError,
  NotFoundError,
  RateLimitError,
  ServerError,
  UnexpectedAnswerError,
} from "../../src/marketplace/errors.ts";
import { Connection } from "../../src/marketplace/vast/connection.ts";
import { fetchLogFile, ServiceClient } from "../../src/marketplace/vast/service-client.ts";
import { systemClock } from "../../src/shared/clock.ts";
import { serveHere } from "./support/local-server.ts";
import { rent, type ServiceUnderContract, startContract } from "./support/service-under-contract.ts";

const addressed = (result_url?: string) => ({ kind: "status", status: 200, body: { success: true, result_url } });

/** The container's last lines, of an instance that was just made. */
async function ask(service: ServiceUnderContract) {
  const id = await rent(service);
  service.clock.advance(60);
  return await service.client.requestLogs({ id, tail: 3, log: "container" });
}

/** Machines that have printed fifty lines. */
const PRINTED: MachineHost = {
  start() {},
  stop: async () => {},
  destroy: async () => {},
  containerLog: () => Array.from({ length: 50 }, (_none, index) => `line ${index + 1}\n`).join(""),
};
const observed = (...faults: Fault[]) => startContract("observed", { machines: PRINTED, scenario: { faults } });

test("the last lines of the container's log, as soon as their file is there; the key does not travel to it", async () => {
  await using service = await observed();
  expect((await ask(service)).split("\n")).toEqual(["line 48", "line 49", "line 50"]);
  const files = service.sim.journal.of("getLogFile");
  expect(files.map(({ status }) => status)).toEqual([404, 404, 404, 200]);
  expect(new Set(files.map(({ caller }) => caller))).toEqual(new Set(["anonymous"]));
  expect(service.sim.journal.strays()).toEqual([]);
});

test("both logs, one after the other, keep the service's interval; the daemon's is what the host said", async () => {
  await using service = await startContract("observed", { scenario: { limits: true } });
  const id = await rent(service);
  service.clock.advance(60);
  await service.client.requestLogs({ id, tail: 3, log: "container" });
  const text = await service.client.requestLogs({ id, tail: 20, log: "daemon" });
  expect(text).toContain("loading: 5a7813e071bf: Pulling fs layer");
  expect(text.split("\n").at(-1)).toContain("running: success, running debian_13/ssh");
  expect(service.sim.journal.of("requestLogs").map(({ status }) => status)).toEqual([200, 200]);
});

test.each([
  ["never appears", { kind: "status", status: 403 }],
  ["breaks off", { kind: "truncate", bytes: 4 }],
])("a file that %s: gives up within 5 s", async (_what, fault) => {
  await using service = await observed({ operation: "getLogFile", ...fault } as Fault);
  await expect(ask(service)).rejects.toBeInstanceOf(NoAnswerError);
  const [asked] = service.sim.journal.of("requestLogs");
  expect(service.clock.now() - Number(asked?.at)).toBeLessThanOrEqual(5000);
  expect(service.sim.journal.of("getLogFile").length).toBeLessThan(20);
});

test.each([
  ["5xx", { kind: "status", status: 502 }, ServerError],
  ["429", { kind: "text", status: 429, text: "API requests too frequent" }, RateLimitError],
  ["a connection that breaks", { kind: "refuse" }, NoAnswerError],
  ["no address", addressed(undefined), UnexpectedAnswerError],
  ["http elsewhere", addressed("http://203.0.113.1/log"), UnexpectedAnswerError],
  ["another scheme", addressed("file:///etc/passwd"), UnexpectedAnswerError],
  ["a text that is no address", addressed("the log"), UnexpectedAnswerError],
])("is asked once, when the answer is %s", async (_what, fault, kind) => {
  await using service = await observed({ operation: "requestLogs", ...fault } as Fault);
  await expect(ask(service)).rejects.toBeInstanceOf(kind);
  expect(service.sim.journal.of("requestLogs")).toHaveLength(1);
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

/** A service and a store in one, whose file is answered as the test says; what it is asked, and what the client reads. */
async function reading(
  answer: (response: ServerResponse) => void,
  read: (text: Promise<string>, asked: string[]) => Promise<void>,
  signal?: AbortSignal,
) {
  const asked: string[] = [];
  await using server = await serveHere((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    if (request.method !== "PUT") return answer(response);
    request.resume();
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ success: true, result_url: `${server.url}/file` }));
  });
  await using client = new ServiceClient({ baseUrl: server.url, apiKey: "the-key", clock: systemClock });
  await read(client.requestLogs({ id: 7, tail: 3, log: "container" }, signal), asked);
}

test("a cancel ends it at once, with its own reason", async () => {
  const cancel = new AbortController();
  await reading(
    () => cancel.abort(new Error("stop")),
    (text) => expect(text).rejects.toThrow("stop"),
    cancel.signal,
  );
});

test("a redirect of the file is not followed", async () => {
  await reading(
    (response) => response.writeHead(302, { location: "/elsewhere" }).end(),
    async (text, asked) => {
      await expect(text).rejects.toThrow(UnexpectedAnswerError);
      expect(asked).toEqual(["PUT /api/v0/instances/request_logs/7/", "GET /file"]);
    },
  );
});

test("of a file of any size 64 KB are read, and no half line", async () => {
  const closed = Promise.withResolvers<boolean>();
  const lines = `${"x".repeat(99)}\n`.repeat(1000);
  await reading(
    (response) => {
      response.write(lines);
      // It never ends.
      const more = setInterval(() => response.write(lines), 1);
      response.on("close", () => {
        clearInterval(more);
        closed.resolve(response.writableFinished);
      });
    },
    async (read) => {
      const text = await read;
      expect(text.length).toBeLessThanOrEqual(65_536);
      expect(text.length).toBeGreaterThan(65_000);
      expect(new Set(text.split("\n"))).toEqual(new Set(["x".repeat(99)]));
      expect(await closed.promise, "the whole of it was sent").toBe(false);
    },
  );
});
