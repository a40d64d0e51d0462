import { expect, test } from "vitest";
import { takesJob, waits } from "./support/listener.ts";
import { deadlineIn, HAS_CONTAINERS, machineThatWent, testMachine } from "./support/test-machine.ts";

const REFUSED = { status: 403 };

test.concurrent.each([
  [
    "a refusal",
    [{ status: 429 }, { status: 502 }, { status: 200, body: { success: false, msg: "busy" } }],
    ["DELETE → 429", "DELETE → 502", "DELETE → 200", "DELETE → 200"],
  ],
  [
    "a 404, the service's own too: what still asks is there",
    [
      { status: 404, body: { success: false, error: "no_such_instance" } },
      { status: 404, body: "gone" },
    ],
    ["DELETE → 404", "DELETE → 404", "DELETE → 200"],
  ],
  [
    "three of the key: it stops the instance, too",
    [REFUSED, REFUSED, REFUSED, REFUSED],
    [
      ...Array.from({ length: 3 }, () => "DELETE → 403"),
      'PUT {"state":"stopped"} → 200',
      "DELETE → 403",
      'PUT {"state":"stopped"} → 200',
      "DELETE → 200",
    ],
  ],
])("asks again after %s", async (_, answers, calls) => {
  await using machine = await machineThatWent({ answers: { DELETE: answers } });
  expect(machine.calls.only("DELETE", "PUT").slice(1)).toEqual(calls);
});

test.concurrent("asks on after the service took it back, until its container ends", async () => {
  await using machine = await testMachine();
  const { onDestroyed } = machine.service;
  machine.service.onDestroyed = () => machine.calls.only("DELETE").length >= 4 && onDestroyed();
  await machine.live();
  expect(machine.calls.only("DELETE")).toEqual(["DELETE → 200", "DELETE → 404", "DELETE → 404", "DELETE → 404"]);
});

test.concurrent("asks again when the service can't be reached for a while", async () => {
  const broken = `[[ $* != *DELETE* || -e $ONSTART_TEST/reachable ]] || { : >"$ONSTART_TEST/reachable"; exit 7; }
exec /usr/bin/curl "$@"`;
  await using machine = await machineThatWent({ commands: { curl: broken } });
  expect(machine.calls.only("DELETE")).toEqual(["DELETE → 200"]);
});

test.concurrent("ends what still runs when the machine can't be given back", async () => {
  await using machine = await testMachine({ env: deadlineIn(180) }, takesJob(`trap '' INT; ${waits(7200)}`));
  machine.service.answer = (method) => (method === "DELETE" ? { status: 500 } : undefined);
  await machine.start();
  await machine.until(() => machine.calls.only("DELETE").length >= 3);
  expect(machine.running()).not.toContain("Runner.Listener");
});

test
  .skipIf(!HAS_CONTAINERS)
  .concurrent("ends its container when nobody takes it back, wherever its files lie", async () => {
    await using machine = await testMachine({ gpus: 0 });
    machine.service.answer = (method) => (method === "DELETE" ? { status: 500 } : undefined);
    const ended = machine.runContained(`bash ${machine.script}; /usr/bin/sleep 7200; :`);
    await machine.until(() => machine.read("log").includes("ghr: Stopping everything."));
    await machine.until(() => !machine.isAlive());
    expect(machine.calls.only("DELETE").length).toBeGreaterThanOrEqual(20);
    await ended;
  });

test.concurrent("gives the machine back when the script's own work is killed", async () => {
  await using machine = await machineThatWent({}, `kill -KILL $PPID; ${waits(7200)}`);
  expect(machine.calls.only("DELETE")).toEqual(["DELETE → 200"]);
});

test.concurrent("refuses to run where no instance is named", async () => {
  await using machine = await testMachine({ env: { CONTAINER_ID: undefined } });
  expect(await machine.start()).not.toBe(0);
  expect(machine.isAlive()).toBe(false);
  expect(machine.calls.lines()).toEqual([]);
});
