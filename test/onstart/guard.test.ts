import { expect, test } from "vitest";
import { packText } from "../../src/machine/script/pack-text.ts";
import { machineThatWent, testMachine } from "./support/test-machine.ts";

const WHOLE = packText("echo 'it works'; : >worked\n".repeat(50));

test.concurrent.each([
  ["is missing", undefined],
  ["is empty", ""],
  ["was cut", WHOLE.slice(0, -8)],
  ["is no base64", `${WHOLE.slice(0, 20)}"$${WHOLE.slice(20)}`],
  ["was changed", WHOLE.replace(/(?<=^.{60})./, (sign) => (sign === "A" ? "B" : "A"))],
])("gives the machine back when its work %s, and says so", async (_, work) => {
  await using machine = await testMachine();
  if (work === undefined) delete machine.env.GHR_WORK;
  else machine.env.GHR_WORK = work;
  expect(await machine.start()).toBe(0);
  await machine.untilGone();
  expect(machine.read("log")).toContain(" ghr: GHR_WORK is missing or damaged.\n");
  expect(machine.calls.lines()).toEqual(["DELETE → 200"]);
});

test.concurrent.each([
  ["has a mistake", "work() {"],
  ["is another script", "echo 'not ours'"],
  ["ends at once", "work() { exit 0; }"],
  ["would end the guard", "work() { kill -KILL -- -$BASHPID; }"],
])("gives the machine back when its work %s", async (_, script) => {
  await using machine = await machineThatWent({ env: { GHR_WORK: packText(script) } });
  expect(machine.calls.lines()).toEqual(["DELETE → 200"]);
});

test.concurrent("ends work that hangs before it has proven the key", async () => {
  await using machine = await machineThatWent({
    env: { GHR_WORK: packText("work() { trap '' INT TERM; while true; do sleep 60; done; }") },
  });
  expect(machine.read("log")).toContain("Time is up after 180 s.");
});
