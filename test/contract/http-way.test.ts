import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { expect, test } from "vitest";
import { HttpWay } from "../../src/http/http-way.ts";

/** A proxy of this machine that does `onRequest` with every request, which it never answers itself. */
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

test("a signal ends a request while a proxy keeps the connection waiting", async () => {
  await using proxy = await startProxy(() => {});
  const way = new HttpWay({ hostname: SERVICE.hostname, mostBytes: 1000, proxy: { httpsProxy: proxy.url } });
  const stop = new AbortController();
  const sent = way.send(SERVICE, { method: "DELETE", signal: stop.signal });
  await expect.poll(() => proxy.asked).toEqual(["CONNECT service.example:443"]);
  stop.abort(new Error("enough"));
  await expect(sent).rejects.toThrow("enough");
  await way.close();
});

test("a request whose signal came first is not sent", async () => {
  await using proxy = await startProxy(() => {});
  const way = new HttpWay({ hostname: SERVICE.hostname, mostBytes: 1000, proxy: { httpsProxy: proxy.url } });
  const signal = AbortSignal.abort(new Error("enough"));
  await expect(way.send(SERVICE, { method: "DELETE", signal })).rejects.toThrow("enough");
  expect(proxy.asked).toEqual([]);
  await way.close();
});
