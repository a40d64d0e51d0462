import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { exitMessage } from "../../src/machine/log.ts";
import { RAN_JOB, runnerOfImage } from "./support/listener.ts";
import { runFunctions } from "./support/run-functions.ts";
import { machineThatWent, testMachine } from "./support/test-machine.ts";

const STARTS = 'PUT {"state":"running"}';

test.concurrent("proves the key by starting its own instance, which runs", async () => {
  await using machine = await machineThatWent();
  expect(machine.calls.only("GET", "PUT", "listener")).toEqual([`${STARTS} → 200`, "listener run"]);
});

test.concurrent("asks until the key is proven, at last by reading its own instance", async () => {
  const invalid = { status: 400, body: { success: false, error: "invalid_state" } };
  const forbidden = { status: 403 };
  await using machine = await machineThatWent({
    answers: { PUT: [invalid, invalid, invalid], GET: [forbidden, forbidden] },
  });
  expect(machine.calls.only("GET", "PUT", "listener")).toEqual([
    ...[`${STARTS} → 400`, "GET → 403", `${STARTS} → 400`, "GET → 403"],
    ...[`${STARTS} → 400`, "GET → 200", "listener run"],
  ]);
});

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
  expect(exitMessage(machine.read("log"))?.text).toMatch(
    /^The key was not proven: The service answers 401 to (PUT|GET)\.$/,
  );
  // A later start does not try once more.
  machine.service.destroyed = false;
  await machine.live();
  expect(machine.calls.only("listener")).toEqual([]);
});

const NOT_YET = `curl: (60) SSL certificate problem: certificate is not yet valid
More details here: https://curl.se/docs/sslcerts.html

curl failed to verify the legitimacy of the server and therefore could not
establish a secure connection to it.`;
const PYTHON = "/usr/bin/python3";

test.concurrent.each([
  {
    client: "curl, no name server",
    env: { GHR_API_URL: "http://no-such-host.invalid" },
    said: /^The key was not proven: curl: \(6\) Could not resolve host: no-such-host\.invalid$/,
  },
  {
    client: "curl, a dead proxy",
    env: { http_proxy: "http://127.0.0.1:9" },
    said: /^The key was not proven: curl: \(7\) Failed to connect to 127\.0\.0\.1 port 9/,
  },
  {
    client: "curl, a clock",
    commands: { curl: `[[ $1 == -qV ]] && exit; printf '\n000'; echo '${NOT_YET}' >&2; exit 60` },
    said: /^The key was not proven: curl: \(60\) SSL certificate problem: certificate is not yet valid$/,
  },
  {
    client: "Python, a dead proxy",
    env: { http_proxy: "http://127.0.0.1:9" },
    commands: { curl: "exit 127", python3: `exec ${PYTHON} "$@"` },
    said: /^The key was not proven: urllib\.error\.URLError: <urlopen error .*refused>$/,
  },
  {
    client: "a package manager that hangs after its words",
    missing: ["curl"],
    commands: { "apt-get": "echo 'E: Could not connect to the mirror' >&2; sleep 7200" },
    said: /^The key was not proven: E: Could not connect to the mirror$/,
  },
])(
  "says why the key was not proven for 180 s, and stays to be read: $client",
  async ({ client, env = {}, said, ...image }) => {
    if (client.startsWith("Python") && !existsSync(PYTHON)) return;
    await using machine = await testMachine({
      ...image,
      factor: 25,
      env: (folder) => ({ ...env, ...runnerOfImage(folder) }),
    });
    await machine.start();
    await machine.until(() => machine.read("log").includes("Giving the machine back."));
    const log = machine.read("log");
    expect(exitMessage(log)).toEqual({ by: "script", text: expect.stringMatching(said) });
    expect(machine.calls.only("listener")).toEqual([]);
  },
);

test.concurrent.each([
  ["curl", {}, 307],
  ["Python", { curl: "exit 127", python3: `exec ${PYTHON} "$@"` }, 302],
])("sends the key to no other address: %s", async (client, commands, status) => {
  if (client === "Python" && !existsSync(PYTHON)) return;
  await using machine = await testMachine({ commands, env: runnerOfImage });
  await using other = await testMachine();
  const elsewhere = { status, location: `${other.service.url}/api/v0/instances/7/` };
  const answers = [elsewhere, elsewhere];
  machine.service.answer = () => answers.shift();
  await machine.live();
  expect(machine.calls.only("GET", "PUT").slice(0, 2)).toEqual([`${STARTS} → ${status}`, `GET → ${status}`]);
  expect(other.calls.lines()).toEqual([]);
});

/** Nobody may set this computer's clock. */
const CHECKS_CLOCK = `date() { echo "$((1800000000 + off))"; }; as_root() { false; }; off=$1; check_clock 1800000000`;
const ABOUT_CLOCK = / ghr: This machine is no good: its clock is (-?\d+) s off\.\n/;

test.concurrent("is no good with a wrong clock, which GitHub would refuse, and says why", async () => {
  await using machine = await machineThatWent({ clockOffsetSeconds: -3600 });
  expect(machine.calls.only("listener", "DELETE")).toEqual(["DELETE → 200"]);
  const [, off] = ABOUT_CLOCK.exec(machine.read("log")) ?? [];
  expect(Math.abs(Number(off) + 3600)).toBeLessThan(10);
});

test.each([120, -120, 0])("takes a clock that is %d s off for good", (seconds) => {
  expect(runFunctions(CHECKS_CLOCK, String(seconds))).toMatchObject({ status: 0, said: "" });
});

test.each([121, -121, 3600, -86_400])("is no good with a clock that is %d s off and can't be set", (seconds) => {
  const { status, said } = runFunctions(CHECKS_CLOCK, String(seconds));
  expect(status).toBe(1);
  expect(said).toMatch(ABOUT_CLOCK);
  expect(said).toContain(` its clock is ${seconds} s off.`);
});

/** A clock that is two hours off until it is set, as where the machine is one of its own and no container. */
const SETTABLE = `case $1 in
  -s) echo "date $*" >>"$ONSTART_TEST/calls.log"; : >"$ONSTART_TEST/is-set" ;;
  -d) exec /usr/bin/date "$@" ;;
  *) [[ -e $ONSTART_TEST/is-set ]] || exec /usr/bin/date -d @$((EPOCHSECONDS + 7200)) "$@"
    exec /usr/bin/date "$@" ;;
esac`;

test.concurrent("sets a wrong clock where it may, and runs the job", async () => {
  await using machine = await machineThatWent({ commands: { date: SETTABLE } });
  expect(machine.calls.only("date", "job")).toEqual([
    expect.stringMatching(/^date -s @\d{10}$/),
    "job started",
    "job ended",
  ]);
  expect(machine.read("log")).toMatch(/ ghr: The clock was 7\d{3} s off\.\n/);
});

test.concurrent("asks for no right clock where the service tells no time", async () => {
  await using machine = await testMachine({ clockOffsetSeconds: 7200 });
  machine.service.now = () => undefined;
  await machine.live();
  expect(machine.calls.only("job")).toEqual(RAN_JOB);
});

test("once the key is proven, no line says that it was not, whatever the end of the work comes after", () => {
  const lines = 'log() { echo "$*"; }; echo 9 >limit; echo "x answers 200" >log; sleep() { : >over; }; tell_last_words';
  expect(runFunctions(lines)).toMatchObject({ status: 0, said: "" });
  // The work is over while it sleeps.
  const asleep = lines.replace("echo 9 >limit", ":").replace(": >over", ": >over; echo 9 >limit");
  expect(runFunctions(asleep)).toMatchObject({ status: 0, said: "" });
});
