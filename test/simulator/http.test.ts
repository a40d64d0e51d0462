import { setTimeout as rest } from "node:timers/promises";
import { expect, test } from "vitest";
import { scaledClock } from "../../simulator/clock/sim-clock.ts";
import { type Delivery, deliver } from "../../simulator/http/deliver.ts";
import { readBody } from "../../simulator/http/read-body.ts";
import { type Exchange, serveHttp } from "../../simulator/http/serve-http.ts";

const clock = scaledClock();

function start(handle: (exchange: Exchange) => Promise<void>) {
  const faults: unknown[] = [];
  const failed = (fault: unknown) => faults.push(fault);
  return serveHttp({ port: 0, handle, failed }).then((server) => ({ server, faults }));
}

const answer = { status: 201, headers: { "x-own": "1" }, body: Buffer.from("0123456789") };

test.each<[string, Delivery, string | RegExp]>([
  ["answer", { how: "answer", answer }, "0123456789"],
  ["dripped", { how: "dripped", answer, seconds: 0.05 }, "0123456789"],
  ["truncated", { how: "truncated", answer, bytes: 4 }, /terminated/],
  ["cut", { how: "cut" }, /fetch failed/],
])("a delivery: %s", async (_how, delivery, expected) => {
  const { server } = await start(async ({ response }) => deliver(response, delivery, clock));
  await using _ = server;
  const asked = fetch(server.url).then(async (got) => [got.status, got.headers.get("x-own"), await got.text()]);
  if (typeof expected === "string") expect(await asked).toEqual([201, "1", expected]);
  else await expect(asked).rejects.toThrow(expected);
});

test("silence lasts until the server closes", async () => {
  const { server, faults } = await start(async ({ response }) => deliver(response, { how: "silence" }, clock));
  const asked = fetch(server.url).then(
    () => "answered",
    () => "broken",
  );
  expect(await Promise.race([asked, rest(100, "still waiting")])).toBe("still waiting");
  await server[Symbol.asyncDispose]();
  expect([await asked, faults]).toEqual(["broken", []]);
});

test("a mistake of the stand-in is told, once the body was read, too; the caller's connection breaks", async () => {
  const { server, faults } = await start(async ({ request }) => {
    await readBody(request);
    throw new Error("a mistake");
  });
  await using _ = server;
  await expect(fetch(server.url, { method: "POST", body: "x" })).rejects.toThrow("fetch failed");
  expect(faults).toEqual([new Error("a mistake")]);
});

test("a body that is too long breaks the connection, and is nobody's mistake", async () => {
  const { server, faults } = await start(async ({ request, response }) => {
    await readBody(request, 10);
    response.end();
  });
  await using _ = server;
  await expect(fetch(server.url, { method: "POST", body: "x".repeat(11) })).rejects.toThrow("fetch failed");
  expect((await fetch(server.url, { method: "POST", body: "x".repeat(10) })).status).toBe(200);
  expect(faults).toEqual([]);
});
