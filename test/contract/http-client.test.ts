import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { GithubClient } from "../../src/github/github-client.ts";
import { GithubUnavailableError } from "../../src/github/github-errors.ts";
import { UnexpectedAnswerError } from "../../src/marketplace/errors.ts";
import { ServiceClient } from "../../src/marketplace/vast/service-client.ts";
import { HttpClient, type ProxySettings } from "../../src/shared/http-client.ts";
import { hurriedClock, junkServer } from "../property/support/junk-server.ts";

const SERVICE = new URL("https://service.example/api/v0/instances/7/");
const DEEP = `{"instances": ${"[".repeat(100)}${"]".repeat(100)}, "id": 7}`;
const soon = () => AbortSignal.timeout(5000);

afterEach(() => {
  vi.unstubAllEnvs();
});

/** A proxy or server of this machine: does `onRequest` with every request, which it never answers itself. */
async function startProxy(onRequest: (socket: Socket, head: string) => void) {
  const sockets = new Set<Socket>();
  const asked: string[] = [];
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.once("data", (data) => {
      asked.push(String(data).split(" ").slice(0, 2).join(" "));
      onRequest(socket, String(data));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

/** The client of a host, by these proxies. */
function wayTo(hostname: string, proxy: Partial<ProxySettings> = {}) {
  const way = new HttpClient({ hostname, mostBytes: 1000, proxy: proxy as ProxySettings });
  return { send: way.send.bind(way), [Symbol.asyncDispose]: () => way.close() };
}

test("a signal ends a request while a proxy keeps the connection waiting; after it none is sent", async () => {
  await using proxy = await startProxy(() => {});
  await using way = wayTo(SERVICE.hostname, { httpsProxy: proxy.url });
  const stop = new AbortController();
  const send = () => way.send(SERVICE, { method: "DELETE", signal: stop.signal });
  const sent = send();
  await expect.poll(() => proxy.asked).toEqual(["CONNECT service.example:443"]);
  stop.abort(new Error("enough"));
  await expect(sent).rejects.toThrow("enough");
  await expect(send()).rejects.toThrow("enough");
  expect(proxy.asked).toHaveLength(1);
});

test("a request names the program that sends it: gateways refuse who names none", async () => {
  const heads: string[] = [];
  await using proxy = await startProxy((socket, head) => {
    heads.push(head);
    socket.end("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
  });
  await using way = wayTo("127.0.0.1");
  await way.send(new URL(proxy.url), { method: "GET", headers: { accept: "application/json" }, signal: soon() });
  expect(heads).toEqual([expect.stringMatching(/^user-agent: ephemeral-gpu-runner\r$/im)]);
});

test("only HTTP/1.1 is offered: over HTTP/2 undici sends what a server refused again by itself", async () => {
  const hellos: string[] = [];
  await using proxy = await startProxy((socket) => {
    socket.once("data", (hello) => {
      hellos.push(hello.toString("latin1"));
      socket.destroy();
    });
    socket.write("HTTP/1.1 200 OK\r\n\r\n");
  });
  await using way = wayTo(SERVICE.hostname, { httpsProxy: proxy.url });
  await expect(way.send(SERVICE, { method: "PUT", body: "{}", signal: soon() })).rejects.toThrow();
  // The extension ALPN, of eleven bytes, with a list of one.
  expect(hellos).toEqual([expect.stringContaining("\0\x10\0\x0b\0\x09\x08http/1.1")]);
});

test("https passes the proxy that is named for https alone, whatever else is given or the environment names", async () => {
  await using proxy = await startProxy((socket) => socket.destroy());
  vi.stubEnv("http_proxy", "http://");
  vi.stubEnv("no_proxy", "*");
  for (const [given, asked] of [
    [{ httpProxy: proxy.url }, 0],
    [{ httpsProxy: proxy.url }, 1],
  ] as const) {
    await using way = wayTo("service.invalid", given);
    await expect(way.send(new URL("https://service.invalid/"), { method: "GET", signal: soon() })).rejects.toThrow();
    expect(proxy.asked).toHaveLength(asked);
  }
});

/** A server that answers every request with this body. */
async function answering(body: string) {
  const server = await junkServer();
  server.answer = { status: 200, headers: { "content-type": "application/json; charset=utf-8" }, body };
  return server;
}

test("an answer of the service that is nested too deep is none that can be read", async () => {
  await using server = await answering(DEEP);
  await using client = new ServiceClient({ baseUrl: server.url, apiKey: "key", clock: hurriedClock(), patienceMs: 0 });
  await expect(client.currentUser()).rejects.toThrow(UnexpectedAnswerError);
});

test.each([
  ["is nested too deep", DEEP, "nested too deep"],
  ["has more than 4 MB", JSON.stringify({ id: 7, more: "x".repeat(4_000_000) }), "more than 4 MB"],
  ["is within both", '{"id": 7, "list": [[[]]]}', undefined],
])("an answer of GitHub's that %s", async (_what, body, why) => {
  await using server = await answering(body);
  const options = { apiUrl: server.url, token: "ghs_x", owner: "octo", repo: "gpu-lib", clock: hurriedClock() };
  const need = { input: "job-token", task: "see the repository", remedy: "" } as const;
  const asked = new GithubClient(options).request({ need, route: "GET /repos/{owner}/{repo}" });
  if (why === undefined) return expect((await asked).data).toEqual({ id: 7, list: [[[]]] });
  await expect(asked).rejects.toThrow(GithubUnavailableError);
  await expect(asked).rejects.toThrow(why);
});

test.each([
  ["127.0.0.1", undefined, 200],
  ["10.0.0.1", undefined, 200],
  ["[fd00::1]", undefined, 200],
  // What a proxy looks up is the proxy's to judge.
  ["203.0.113.7", "by a proxy", 200],
  ["203.0.113.7", undefined, "127.0.0.1 is at a private address"],
])("a host at %s may name one at a private address, %s: %s", async (hostname, proxied, expected) => {
  await using server = await answering("{}");
  await using way = wayTo(hostname, proxied ? { httpProxy: server.url } : {});
  const url = new URL(proxied ? "http://10.9.8.7/" : server.url);
  const sent = way.send(url, { method: "GET", signal: soon() });
  if (typeof expected === "number") return expect((await sent).statusCode).toBe(expected);
  await expect(sent).rejects.toThrow(expected);
  expect(server.asked).toBe(0);
});
