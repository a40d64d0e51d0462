import { expect, test } from "vitest";
import { testMachine } from "./support/test-machine.ts";

const STARTS = 'PUT {"state":"running"}';

test.concurrent("proves the key by starting its own instance, which runs", async () => {
  await using machine = await testMachine();
  await machine.start();
  await machine.untilGone();
  expect(machine.calls.only("GET", "PUT", "listener")).toEqual([`${STARTS} → 200`, "listener run"]);
});

test.concurrent.each([
  ["refuses to start what runs", { status: 400, body: { success: false, error: "invalid_state" } }],
  ["says success: false", { status: 200, body: { success: false, msg: "already running" } }],
])("proves the key by reading its own instance where the service %s", async (_, refusal) => {
  await using machine = await testMachine();
  machine.service.answer = (method) => (method === "PUT" ? refusal : undefined);
  await machine.start();
  await machine.untilGone();
  expect(machine.calls.only("GET", "PUT", "listener")).toEqual([
    `${STARTS} → ${refusal.status}`,
    "GET → 200",
    "listener run",
  ]);
});

test.concurrent.each([
  ["a bare 403, which any gateway can send", { status: 403 }],
  ["a 403 of the service itself", { status: 403, body: { success: false, error: "forbidden" } }],
  ["a page with status 200", { status: 200, body: "<!DOCTYPE html><title>Sign in</title>" }],
  ["no instance", { status: 200, body: { instances: null } }],
  ["success: false", { status: 200, body: { success: false } }],
])("takes no answer for a proof that is %s", async (_, answer) => {
  await using machine = await testMachine();
  let looks = 0;
  machine.service.answer = (method) => (method !== "DELETE" && ++looks <= 4 ? answer : undefined);
  await machine.start();
  await machine.untilGone();
  const { status } = answer;
  expect(machine.calls.only("GET", "PUT", "listener")).toEqual([
    ...[`${STARTS} → ${status}`, `GET → ${status}`, `${STARTS} → ${status}`, `GET → ${status}`],
    `${STARTS} → 200`,
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
  expect(machine.calls.only("listener")).toEqual([]);
  expect(machine.read("log")).toContain("The service answers 401 to PUT.");
  expect(machine.read("log")).toContain("Time is up after 180 s.");
  // A later start does not try once more.
  machine.service.destroyed = false;
  await machine.start();
  await machine.untilGone();
  expect(machine.calls.only("listener")).toEqual([]);
});

test.concurrent("sends the key to no other address", async () => {
  await using machine = await testMachine();
  await using other = await testMachine();
  let isMoved = true;
  machine.service.answer = (method) => {
    if (!isMoved) return undefined;
    if (method === "GET") isMoved = false;
    return { status: 307, location: `${other.service.url}/api/v0/instances/7/` };
  };
  await machine.start();
  await machine.untilGone();
  expect(machine.calls.only("GET", "PUT").slice(0, 2)).toEqual([`${STARTS} → 307`, "GET → 307"]);
  expect(other.calls.lines()).toEqual([]);
});

const ABOUT_CLOCK = / ghr: This machine is no good: its clock is (-?\d+) s off\.\n/;

test.concurrent.each([3600, 130, -130, -86_400])(
  "is no good with a clock that is %d s off, which GitHub would refuse, and says why",
  async (seconds) => {
    await using machine = await testMachine({ clockOffsetSeconds: seconds });
    await machine.start();
    await machine.untilGone();
    expect(machine.calls.only("listener", "DELETE")).toEqual(["DELETE → 200"]);
    const [, off] = ABOUT_CLOCK.exec(machine.read("log")) ?? [];
    expect(Math.abs(Number(off) - seconds)).toBeLessThan(10);
  },
);

/** A clock that is two hours off until it is set, as where the machine is one of its own and no container. */
const SETTABLE = `case $1 in
  -s) echo "date $*" >>"$ONSTART_TEST/calls.log"; : >"$ONSTART_TEST/is-set" ;;
  -d) exec /usr/bin/date "$@" ;;
  *) [[ -e $ONSTART_TEST/is-set ]] || exec /usr/bin/date -d @$((EPOCHSECONDS + 7200)) "$@"
    exec /usr/bin/date "$@" ;;
esac`;

test.concurrent("sets a wrong clock where it may, and runs the job", async () => {
  await using machine = await testMachine({ commands: { date: SETTABLE } });
  await machine.start();
  await machine.untilGone();
  expect(machine.calls.only("date", "job")).toEqual([
    expect.stringMatching(/^date -s @\d{10}$/),
    "job started",
    "job ended",
  ]);
  expect(machine.read("log")).toMatch(/ ghr: The clock was 7\d{3} s off, and is set\.\n/);
});

test.concurrent("asks for no right clock where the service tells no time", async () => {
  await using machine = await testMachine({ clockOffsetSeconds: 7200 });
  machine.service.now = () => undefined;
  await machine.start();
  await machine.untilGone();
  expect(machine.calls.only("job")).toEqual(["job started", "job ended"]);
});
