import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { exitMessage } from "../../src/machine/log.ts";
import { eachMachine, type Life } from "./support/each-machine.ts";
import { BROKEN, type Image, ofHost, PYTHON } from "./support/image.ts";
import { runnerOfImage } from "./support/listener.ts";
import { runFunctions } from "./support/run-functions.ts";
import { GIVEN_BACK } from "./support/stand-in-service.ts";
import { testMachine } from "./support/test-machine.ts";

const REFUSES = 'PUT {"state":"running"} → 400';

const STARTED = '{"success":true}';
const REFUSED = '{"success":false,"error":"invalid_state"}';
const READ = '{"instances":{"id":7}}';

test.each([
  ["it is started", [200, STARTED], [403, ""], true],
  ["it is not started as it runs, and read", [400, REFUSED], [200, READ], true],
  ["success: false, and read", [200, REFUSED], [200, READ], true],
  ["nothing but a bare 403, which any gateway can send", [403, ""], [403, ""], false],
  ["a 403 of the service itself", [403, REFUSED], [403, REFUSED], false],
  ["a page with status 200", [200, "<!DOCTYPE html><title>Sign in</title>"], [200, "<!DOCTYPE html>"], false],
  ["no instance", [200, REFUSED], [200, '{"instances":null}'], false],
  ["success: false for both", [200, REFUSED], [200, REFUSED], false],
  ["what would be a proof, with another status", [500, STARTED], [500, READ], false],
] as const)("the service answers %s, %j, %j: the key works: %s", (_, put, get, works) => {
  const lines = `answer='' status=''
api() { if [[ $1 == PUT ]]; then status=$put answer=$put_body; else status=$get answer=$get_body; fi; }
put=$1 put_body=$2 get=$3 get_body=$4; if key_works; then echo works; fi`;
  expect(runFunctions(lines, ...[...put, ...get].map(String)).said).toBe(works ? "works\n" : "");
});

test.concurrent("starts no runner when the key is not proven in time, and gives the machine back", async () => {
  await using machine = await testMachine();
  let isRefused = true;
  machine.service.answer = (method) => {
    if (method === "DELETE") isRefused = false;
    return isRefused ? { status: 401 } : undefined;
  };
  await machine.live();
  expect(machine.calls.only("listener")).toEqual([]);
  expect(machine.read("log")).toContain("The service answers 401 to PUT.");
  expect(machine.read("log")).toContain("Time is up after 180 s.");
  const said = exitMessage(machine.read("log"))?.text;
  expect(said).toMatch(/^The key was not proven: The service answers 401 to (PUT|GET)\.$/);
  // A later start does not try once more.
  machine.service.destroyed = false;
  await machine.live();
  expect(machine.calls.only("listener")).toEqual([]);
});

const NOT_YET = `curl: (60) SSL certificate problem: certificate is not yet valid
More details here: https://curl.se/docs/sslcerts.html

curl failed to verify the legitimacy of the server and therefore could not
establish a secure connection to it.`;
const BY_PYTHON = { curl: BROKEN, python3: ofHost("python3") };
const DEAD_PROXY = { http_proxy: "http://127.0.0.1:9" };

/** It never has a proof, says why in these words, and stays to be read. */
const unproven = (said: RegExp, { env = {}, ...image }: Image): Life => ({
  ...{ ...image, factor: 25, env: (folder) => ({ ...env, ...runnerOfImage(folder) }) },
  until: "Giving the machine back.",
  calls: { listener: [] },
  check: ({ read }) => expect(exitMessage(read("log"))).toEqual({ by: "script", text: expect.stringMatching(said) }),
});
const ABOUT_CLOCK = / ghr: This machine is no good: its clock is (-?\d+) s off\.\n/;

eachMachine({
  "asks until the key is proven, at last by reading its own instance": {
    answers: { PUT: Array(3).fill({ status: 400 }), GET: [{ status: 403 }, { status: 403 }] },
    calls: { "GET PUT listener": [REFUSES, "GET → 403", REFUSES, "GET → 403", REFUSES, "GET → 200", "listener run"] },
  },
  "says why the key was not proven for 180 s, and stays to be read: curl, a dead proxy": unproven(
    /^The key was not proven: curl: \(7\) Failed to connect to 127\.0\.0\.1 port 9/,
    { env: DEAD_PROXY },
  ),
  "says why the key was not proven for 180 s, and stays to be read: Python, a dead proxy": {
    ...unproven(/^The key was not proven: urllib\.error\.URLError: <urlopen error .*refused>$/, {
      ...{ env: DEAD_PROXY, commands: BY_PYTHON },
    }),
    needs: PYTHON,
  },
  "is no good with a wrong clock, which GitHub would refuse, and says why": {
    clockOffsetSeconds: -3600,
    calls: { "listener DELETE": [GIVEN_BACK] },
    check({ read }) {
      const [, off] = ABOUT_CLOCK.exec(read("log")) ?? [];
      expect(Math.abs(Number(off) + 3600)).toBeLessThan(10);
    },
  },
  "asks for no right clock where the service tells no time": { ...{ clockOffsetSeconds: 7200, hasNoDate: true } },
});

test.concurrent.each([
  ["curl", {}, 307],
  ["Python", BY_PYTHON, 302],
])("sends the key to no other address: %s", async (client, commands, status) => {
  if (client === "Python" && !existsSync(PYTHON)) return;
  await using machine = await testMachine({ commands, env: runnerOfImage });
  await using other = await testMachine();
  const elsewhere = { status, location: `${other.service.url}/api/v0/instances/7/` };
  const answers = [elsewhere, elsewhere];
  machine.service.answer = () => answers.shift();
  await machine.live();
  const first = machine.calls.only("GET", "PUT").slice(0, 2);
  expect(first).toEqual([`PUT {"state":"running"} → ${status}`, `GET → ${status}`]);
  expect(other.calls.lines()).toEqual([]);
});

/** Nobody may set this computer's clock. `$2`: whether this machine may. */
const CHECKS_CLOCK = `date() { echo "$((1800000000 + off))"; }; as_root() { echo "$*" >>asked; $may; }
off=$1 may=$2; check_clock 1800000000; [[ ! -e asked ]] || cat asked`;

test.each([120, -120, 0])("takes a clock that is %d s off for good", (seconds) => {
  expect(runFunctions(CHECKS_CLOCK, String(seconds), "false")).toEqual({ status: 0, said: "", files: [] });
});

test.each([121, -121, 3600, -86_400])("is no good with a clock that is %d s off and can't be set", (seconds) => {
  const { status, said } = runFunctions(CHECKS_CLOCK, String(seconds), "false");
  expect(status).toBe(1);
  expect(ABOUT_CLOCK.exec(said)?.[1]).toBe(String(seconds));
});

test("sets a clock that is 7200 s off where it may", () => {
  const { status, said, files } = runFunctions(CHECKS_CLOCK, "7200", "true");
  expect({ status, files }).toEqual({ status: 0, files: ["asked"] });
  expect(said).toMatch(/^\S+ ghr: The clock was 7200 s off\.\n/);
});

test.each([
  ["curl, no name server", "curl: (6) Could not resolve host: no-such-host.invalid", undefined],
  ["curl, a clock", NOT_YET, "curl: (60) SSL certificate problem: certificate is not yet valid"],
  ["a package manager", "E: Could not connect to the mirror", undefined],
  ["the service", "2026-11-27T10:00:00Z ghr: The service answers 401 to GET.", "The service answers 401 to GET."],
  ["nobody", "2026-11-27T10:00:00Z ghr: The service answers nothing to PUT.", "nothing was said"],
])("says why the key was not proven in the last words of %s", (_, log, words = log) => {
  const { said } = runFunctions('printf "first\\n%s\\n" "$1" >log; : >over; tell_last_words', log);
  expect(said.replaceAll(/^\S+Z ghr: /gm, "")).toBe(`The key was not proven: ${words}\nStaying for 60 s.\n`);
});

test("once the key is proven, no line says that it was not, whatever the end of the work comes after", () => {
  const lines = 'log() { echo "$*"; }; echo 9 >limit; echo "x answers 200" >log; sleep() { : >over; }; tell_last_words';
  expect(runFunctions(lines)).toMatchObject({ status: 0, said: "" });
  // The work is over while it sleeps.
  const asleep = lines.replace("echo 9 >limit", ":").replace(": >over", ": >over; echo 9 >limit");
  expect(runFunctions(asleep)).toMatchObject({ status: 0, said: "" });
});
