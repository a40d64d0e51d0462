import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { HttpClient } from "../../src/shared/http-client.ts";

/** A proxy of this machine: does `onRequest` with every request, which it never answers itself. */
async function startProxy(onRequest: (socket: Socket) => void) {
  const sockets = new Set<Socket>();
  const asked: string[] = [];
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.once("data", (data) => {
      asked.push(String(data).split(" ").slice(0, 2).join(" "));
      onRequest(socket);
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

const SERVICE = new URL("https://service.example/api/v0/instances/7/");

afterEach(() => {
  vi.unstubAllEnvs();
});

test("a signal ends a request while a proxy keeps the connection waiting", async () => {
  await using proxy = await startProxy(() => {});
  const way = new HttpClient({ hostname: SERVICE.hostname, mostBytes: 1000, proxy: { httpsProxy: proxy.url } });
  const stop = new AbortController();
  const sent = way.send(SERVICE, { method: "DELETE", signal: stop.signal });
  await expect.poll(() => proxy.asked).toEqual(["CONNECT service.example:443"]);
  stop.abort(new Error("enough"));
  await expect(sent).rejects.toThrow("enough");
  await way.close();
});

test("a request names the program that sends it: gateways refuse who names none", async () => {
  const agents: (string | undefined)[] = [];
  const server = createHttpServer(({ headers }, response) => {
    agents.push(headers["user-agent"]);
    response.end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const way = new HttpClient({ hostname: url.hostname, mostBytes: 1000 });
  const signal = AbortSignal.timeout(5000);
  await way.send(url, { method: "GET", headers: { accept: "application/json" }, signal });
  await way.close();
  server.close();
  expect(agents).toEqual(["ephemeral-gpu-runner"]);
});

test("a request whose signal came first is not sent", async () => {
  await using proxy = await startProxy(() => {});
  const way = new HttpClient({ hostname: SERVICE.hostname, mostBytes: 1000, proxy: { httpsProxy: proxy.url } });
  const signal = AbortSignal.abort(new Error("enough"));
  await expect(way.send(SERVICE, { method: "DELETE", signal })).rejects.toThrow("enough");
  expect(proxy.asked).toEqual([]);
  await way.close();
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
  const way = new HttpClient({ hostname: SERVICE.hostname, mostBytes: 1000, proxy: { httpsProxy: proxy.url } });
  await expect(way.send(SERVICE, { method: "PUT", body: "{}", signal: AbortSignal.timeout(5000) })).rejects.toThrow();
  // The extension ALPN, of eleven bytes, with a list of one.
  expect(hellos).toEqual([expect.stringContaining("\0\x10\0\x0b\0\x09\x08http/1.1")]);
  await way.close();
});

test("https passes the proxy that is named for https alone, as with GitHub's own client", async () => {
  await using proxy = await startProxy((socket) => socket.destroy());
  const way = new HttpClient({ hostname: "service.invalid", mostBytes: 1000, proxy: { httpProxy: proxy.url } });
  const sent = way.send(new URL("https://service.invalid/"), { method: "GET", signal: AbortSignal.timeout(5000) });
  await expect(sent).rejects.toThrow();
  expect(proxy.asked).toEqual([]);
  await way.close();
});

test("proxies are those that it is given, whatever else the environment names", async () => {
  await using proxy = await startProxy((socket) => socket.destroy());
  vi.stubEnv("http_proxy", "http://");
  vi.stubEnv("no_proxy", "*");
  const way = new HttpClient({ hostname: SERVICE.hostname, mostBytes: 1000, proxy: { httpsProxy: proxy.url } });
  await expect(way.send(SERVICE, { method: "GET", signal: AbortSignal.timeout(5000) })).rejects.toThrow();
  expect(proxy.asked).toEqual(["CONNECT service.example:443"]);
  await way.close();
});
