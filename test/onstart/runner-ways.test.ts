import { expect, test } from "vitest";
import { BOTH_WAYS } from "./support/image.ts";
import { takesJob, waits } from "./support/listener.ts";
import { testMachine } from "./support/test-machine.ts";

// How GitHub's own program ends or goes on, as was seen of it, and what the script makes of that.

/** Ends with this code at its first start, and takes a job at the second. */
const endsFirstWith = (code: number) => `call configuration "$ACTIONS_RUNNER_INPUT_JITCONFIG"
[[ $(<"$ONSTART_TEST/calls.log") == *configuration*configuration* ]] || exit ${code}
${takesJob()}`;

test.concurrent.each([1, 2, 5, 7])(
  "starts the next use after code %d, never with a used configuration",
  async (code) => {
    await using machine = await testMachine({}, endsFirstWith(code));
    Object.assign(machine.env, { GHR_JIT: "one", GHR_JIT_2: "two" });
    await machine.start();
    await machine.untilGone();
    expect(machine.calls.only("configuration", "job")).toEqual([
      "configuration one",
      "configuration two",
      "job started",
      "job ended",
    ]);
  },
);

test.concurrent.each([3, 4])("starts no further runner after code %d, a forced update, and says so", async (code) => {
  await using machine = await testMachine({}, endsFirstWith(code));
  Object.assign(machine.env, { GHR_JIT: "one", GHR_JIT_2: "two" });
  await machine.start();
  await machine.untilGone();
  expect(machine.calls.only("configuration", "job", "DELETE")).toEqual(["configuration one", "DELETE → 200"]);
  expect(machine.read("log")).toMatch(
    /The runner ended with code \d\.\n.*ghr: GitHub updates this runner, which goes on outside of our sight: no further job\.\n/,
  );
});

const LOOPS = [
  ["its session is answered with 5xx", `echo 'Runner connect error: 503. Retrying until reconnected.' >&2`],
  ["its job can't be acquired", "echo 'Listening for Jobs'"],
] as const;

test.concurrent.each(LOOPS.flatMap(([how, says]) => BOTH_WAYS.map(({ sigint, way }) => ({ how, says, sigint, way }))))(
  "ends a runner that loops for ever as $how: SIGINT $sigint",
  async ({ says, way }) => {
    await using machine = await testMachine(way, `${says}\nwhile true; do ${waits(30)}; done`);
    machine.env.GHR_IDLE_TIMEOUT = "0";
    await machine.start();
    await machine.untilGone();
    expect(machine.calls.only("SIGINT", "DELETE")).toEqual(["SIGINT", "DELETE → 200"]);
  },
);
