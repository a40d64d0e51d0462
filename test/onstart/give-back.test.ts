import { expect, test } from "vitest";
import { eachMachine, type Life } from "./support/each-machine.ts";
import { ofHost } from "./support/image.ts";
import { takesJob, waits } from "./support/listener.ts";
import { type Answer, GIVEN_BACK } from "./support/stand-in-service.ts";
import { deadlineIn, HAS_CONTAINERS, testMachine } from "./support/test-machine.ts";

const STOPS = 'PUT {"state":"stopped"} → 200';
const NEVER = { DELETE: Array<Answer>(99).fill({ status: 500 }) };

/** The service answers so before it takes the machine back, which asks so. */
const asksAgain = (answers: readonly Answer[], ...calls: string[]): Life => ({
  answers: { DELETE: answers },
  check: (machine) => expect(machine.calls.only("DELETE", "PUT").slice(1)).toEqual(calls),
});
const REFUSED = { status: 403 };

eachMachine({
  "asks again after a refusal": asksAgain(
    [{ status: 429 }, { status: 502 }, { status: 200, body: { success: false, msg: "busy" } }],
    ...["DELETE → 429", "DELETE → 502", "DELETE → 200", GIVEN_BACK],
  ),
  "asks again after a 404, the service's own too: what still asks is there": asksAgain(
    [
      { status: 404, body: { success: false, error: "no_such_instance" } },
      { status: 404, body: "gone" },
    ],
    ...["DELETE → 404", "DELETE → 404", GIVEN_BACK],
  ),
  "asks again after three refusals of the key: it stops the instance, too": asksAgain(
    [REFUSED, REFUSED, REFUSED, REFUSED],
    ...["DELETE → 403", "DELETE → 403", "DELETE → 403", STOPS, "DELETE → 403", STOPS, GIVEN_BACK],
  ),
  "asks on after the service took it back, until its container ends": {
    changesBefore({ calls, service }) {
      const { onDestroyed } = service;
      service.onDestroyed = () => calls.only("DELETE").length >= 4 && onDestroyed();
    },
    calls: { DELETE: [GIVEN_BACK, "DELETE → 404", "DELETE → 404", "DELETE → 404"] },
  },
  "asks again when the service can't be reached for a while": {
    commands: {
      curl: `[[ $* != *DELETE* || -e $ONSTART_TEST/reachable ]] || { : >"$ONSTART_TEST/reachable"; exit 7; }
${ofHost("curl")}`,
    },
    calls: { DELETE: [GIVEN_BACK] },
  },
  "ends what still runs when the machine can't be given back": {
    ...{ env: deadlineIn(180), runner: takesJob(`trap '' INT; ${waits(7200)}`), answers: NEVER },
    calls: { job: ["job started"] },
    until: "DELETE → 500\nDELETE → 500\nDELETE → 500\n",
    check: (machine) => expect(machine.running()).not.toContain("Runner.Listener"),
  },
  "gives the machine back when the script's own work is killed": {
    runner: `kill -KILL $PPID; ${waits(7200)}`,
    calls: { DELETE: [GIVEN_BACK] },
  },
});

test
  .skipIf(!HAS_CONTAINERS)
  .concurrent("ends its container when nobody takes it back, wherever its files lie", async () => {
    await using machine = await testMachine({ gpus: 0, answers: NEVER });
    const ended = machine.runContained(`bash ${machine.script}; /usr/bin/sleep 7200; :`);
    await machine.until(() => machine.read("log").includes("ghr: Stopping everything."));
    await machine.until(() => !machine.isAlive());
    expect(machine.calls.only("DELETE").length).toBeGreaterThanOrEqual(20);
    await ended;
  });

test.concurrent("refuses to run where no instance is named", async () => {
  await using machine = await testMachine({ env: { CONTAINER_ID: undefined } });
  expect(await machine.start()).not.toBe(0);
  expect(machine.isAlive()).toBe(false);
  expect(machine.calls.lines()).toEqual([]);
});
