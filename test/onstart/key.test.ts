import { expect, test } from "vitest";
import { testMachine } from "./support/test-machine.ts";

test.concurrent("takes 403 for a proof: the key is known, it may only not read", async () => {
  await using machine = await testMachine();
  machine.service.answer = (method) => (method === "GET" ? { status: 403 } : undefined);
  await machine.start();
  await machine.untilGone();
  expect(machine.calls.only("GET", "PUT", "listener")).toEqual(["GET → 403", "listener run"]);
});

test.concurrent("proves the key by starting its own instance where it can't ask", async () => {
  await using machine = await testMachine();
  machine.service.answer = (method) => (method === "GET" ? { status: 401 } : undefined);
  await machine.start();
  await machine.untilGone();
  expect(machine.calls.only("GET", "PUT", "listener")).toEqual([
    "GET → 401",
    'PUT {"state":"running"} → 200',
    "listener run",
  ]);
});

test.concurrent("does not take an answer for a proof that says success: false", async () => {
  await using machine = await testMachine();
  let puts = 0;
  machine.service.answer = (method) => {
    if (method === "GET") return { status: 500 };
    if (method === "PUT") return { status: 200, body: { success: ++puts > 1 } };
    return undefined;
  };
  await machine.start();
  await machine.untilGone();
  expect(machine.calls.only("PUT", "listener")).toEqual([
    'PUT {"state":"running"} → 200',
    'PUT {"state":"running"} → 200',
    "listener run",
  ]);
});

test.concurrent("starts no runner when the key is not proven in time, and gives the machine back", async () => {
  await using machine = await testMachine();
  let isRefused = true;
  machine.service.answer = (method) => {
    if (method === "DELETE") isRefused = false;
    return isRefused ? { status: 401 } : undefined;
  };
  await machine.start();
  await machine.untilGone();
  expect(machine.calls.only("download", "listener")).toEqual([]);
  expect(machine.read("log")).toContain("The service answers 401 to GET.");
  expect(machine.read("log")).toContain("Time is up after 180 s.");
  // A later start does not try once more.
  machine.service.destroyed = false;
  await machine.start();
  await machine.untilGone();
  expect(machine.calls.only("download", "listener")).toEqual([]);
});

test.concurrent("sends the key to no other address", async () => {
  await using machine = await testMachine();
  await using other = await testMachine();
  let isMoved = true;
  machine.service.answer = (method) => {
    if (!isMoved) return undefined;
    if (method === "PUT") isMoved = false;
    return { status: 307, location: `${other.service.url}/api/v0/instances/7/` };
  };
  await machine.start();
  await machine.untilGone();
  expect(machine.calls.only("GET", "PUT").slice(0, 2)).toEqual(["GET → 307", 'PUT {"state":"running"} → 307']);
  expect(other.calls.lines()).toEqual([]);
});
