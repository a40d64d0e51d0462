import { existsSync, mkdirSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { BOTH_WAYS, type Image } from "./support/image.ts";
import { RAN_JOB, takesJob, waits } from "./support/listener.ts";
import { deadlineIn, machineThatWent, SCRIPT, testMachine } from "./support/test-machine.ts";

const HANGING_JOB = takesJob(`trap '' INT; ${waits(7200)}`);
const TICK = 15;

test.concurrent.each<[string, Image]>([
  ["SIGINT is heard", {}],
  ["SIGINT is ignored", { ignoresSigint: true }],
  ["its clock is 100 s ahead of the service's", { clockOffsetSeconds: 100 }],
  ["its clock is 100 s behind the service's", { clockOffsetSeconds: -100 }],
])("ends a job that hangs at the deadline where %s", async (_, image) => {
  await using machine = await machineThatWent({ ...image, env: deadlineIn(240) }, HANGING_JOB);
  expect(machine.calls.only("job", "DELETE").slice(0, 2)).toEqual(["job started", "DELETE → 200"]);
});

/**
 * Ends by a signal as the real runner does when a step catches it, after some 10 s; tells which
 * signals it ignores, but for SIGQUIT, which bash's children do.
 */
const tellsLate = (seconds: number) =>
  takesJob(`while read -r name mask; do [[ $name != SigIgn: ]] || call ignores "$((16#$mask & ~(1 << 2)))"; done </proc/$$/status
for signal in INT TERM; do trap "call job told by $signal; (trap '' INT TERM; sleep ${seconds}); call job over; exit" "$signal"; done
${waits(7200)}`);

test.concurrent.each(BOTH_WAYS)(
  "leaves a runner 12 s at the deadline to tell how its job ended: SIGINT $sigint",
  async ({ way }) => {
    await using machine = await machineThatWent({ ...way, env: deadlineIn(240) }, tellsLate(12));
    expect(machine.calls.only("job", "DELETE")).toEqual(["job started", "job told by INT", "job over", "DELETE → 200"]);
    expect(machine.read("log")).toMatch(/ ghr: Time is up after 2\d\d s: stopping the runner\.\n/);
    // Not a tick later than it has to be.
    expect(machine.read("ghr/ticks").length * TICK).toBeLessThanOrEqual(240);
  },
);

test.concurrent("leaves a runner no more than 15 s at the deadline", async () => {
  await using machine = await machineThatWent({ env: deadlineIn(240) }, tellsLate(40));
  expect(machine.calls.only("job", "DELETE")).toEqual(["job started", "job told by INT", "DELETE → 200"]);
});

const OLD_ENV = "echo \"env: unrecognized option '--default-signal=INT'\" >&2; exit 125";
const TOOLS = [
  ["Perl", { perl: 'exec /usr/bin/perl "$@"' }, "/usr/bin/perl", "INT", 0],
  ["Python", { python3: 'exec /usr/bin/python3 "$@"' }, "/usr/bin/python3", "INT", 0],
  ["SIGTERM, where nothing can make SIGINT heard", {}, "/", "TERM", 2],
] as const;

for (const [name, commands, needed, signal, ignored] of TOOLS)
  test.skipIf(!existsSync(needed)).concurrent(`interrupts by ${name} on an image whose env is old`, async () => {
    const image = { ignoresSigint: true, commands: { env: OLD_ENV, ...commands } };
    await using machine = await machineThatWent({ ...image, env: deadlineIn(240) }, tellsLate(5));
    expect(machine.calls.only("job", "DELETE")).toEqual([
      "job started",
      `job told by ${signal}`,
      "job over",
      "DELETE → 200",
    ]);
    // Python, which ignores others itself, hands none of that on.
    expect(machine.calls.only("ignores")).toEqual([`ignores ${ignored}`]);
  });

test.concurrent.each([
  // With a full disk the work would end by itself.
  ["keeps its term when nothing can be written any more", "elapsed=0; watch >/dev/full", 60 / TICK],
  // The word is out before the process has ended.
  ["gives back when the work says that it is over, not 15 s later", "echo >&3; elapsed=0; watch", 0],
])("the guard's own function %s", async (_, watch, ticks) => {
  await using machine = await testMachine();
  await machine.run(`source "${SCRIPT}"; set +eu; cd "$ONSTART_TEST"; echo 60 >limit
sleep 7200 &>/dev/null & work=$!; exec 3<> <(:); ${watch}; echo over >over`);
  await machine.until(() => machine.read("over") !== "");
  expect(machine.read("ticks")).toHaveLength(ticks);
});

test.concurrent("ends when the package manager hangs", async () => {
  await using machine = await machineThatWent({
    missing: ["git"],
    commands: { "apt-get": "sleep 7200" },
    env: deadlineIn(240),
  });
  expect(machine.calls.only("listener")).toEqual([]);
});

test.concurrent("counts its term from the first start, whatever the clocks say", async () => {
  await using machine = await testMachine({}, HANGING_JOB);
  machine.service.now = () => undefined;
  machine.env.GHR_MAX_UPTIME = "240";
  machine.env.GHR_RUNNER_URL = "http://127.0.0.1:9/runner.tar.gz";
  await machine.start();
  await machine.until(() => machine.read("ghr/limit") !== "");
  machine.stop();
  const ticks = machine.read("ghr/ticks").length;
  machine.env.GHR_RUNNER_URL = machine.service.runnerUrl;
  await machine.live();
  expect(machine.calls.only("listener")).toHaveLength(1);
  expect(ticks).toBeLessThan(240 / TICK);
  expect(machine.read("ghr/ticks")).toHaveLength(240 / TICK);
});

test.concurrent("starts no runner when the deadline passed while the container was stopped", async () => {
  await using machine = await testMachine({ env: { GHR_RUNNER_URL: "http://127.0.0.1:9/runner.tar.gz" } });
  await machine.start();
  await machine.until(() => machine.read("ghr/limit") !== "");
  machine.stop();
  machine.env.GHR_RUNNER_URL = machine.service.runnerUrl;
  machine.service.now = () => Date.now() + 7201_000;
  await machine.live();
  expect(machine.calls.only("listener")).toEqual([]);
  expect(machine.read("log")).toContain("Time is up.");
});

test.concurrent("is not fooled by another process that has the id of its own before a restart", async () => {
  await using machine = await testMachine({}, takesJob(waits(7200)));
  await machine.start();
  await machine.until(() => machine.calls.only("job").length > 0);
  machine.stop();
  const lock = `${machine.folder}/ghr/lock`;
  const holder = readlinkSync(lock).replace(/^\d+/, String(process.pid));
  rmSync(lock);
  symlinkSync(holder, lock);
  await machine.live();
});

test.concurrent("has one guard when it is run twice at once after a restart", async () => {
  // Both have seen that the guard of before is gone when the first one takes its place.
  const readlink = '/usr/bin/readlink "$@"; code=$?; sleep 25; exit "$code"';
  await using machine = await testMachine({ commands: { readlink } }, takesJob(waits(60)));
  mkdirSync(`${machine.folder}/ghr`);
  symlinkSync("4194305.1", `${machine.folder}/ghr/lock`);
  await Promise.all([machine.start(), machine.start()]);
  await machine.untilGone();
  expect(machine.calls.only("PUT", "listener", "job", "DELETE")).toEqual([
    'PUT {"state":"running"} → 200',
    "listener run",
    "job started",
    "job ended",
    "DELETE → 200",
  ]);
});

test.concurrent("keeps its term on a disk that takes no lock", async () => {
  await using machine = await machineThatWent({ commands: { ln: "exit 1" } });
  expect(machine.calls.only("job")).toEqual(RAN_JOB);
});

test.concurrent("starts no second runner after a restart of the container", async () => {
  await using machine = await testMachine({}, takesJob(waits(7200)));
  await machine.start();
  await machine.until(() => machine.calls.only("job").length > 0);
  machine.stop();
  await machine.live();
  expect(machine.calls.only("PUT", "listener", "DELETE")).toEqual([
    'PUT {"state":"running"} → 200',
    "listener run",
    "DELETE → 200",
  ]);
  expect(machine.read("log")).toContain("This machine has had its turn.");
});

test.concurrent("a volume that brings the files of another machine changes nothing", async () => {
  await using machine = await testMachine();
  const files = { of: "40", over: "", spent: "1\n", ticks: "....", accepted: "", "runner/left": "left" };
  mkdirSync(`${machine.folder}/ghr/runner`, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(`${machine.folder}/ghr/${name}`, text);
  await machine.live();
  expect(machine.calls.only("listener", "DELETE")).toEqual(["listener run", "DELETE → 200"]);
  expect(machine.read("log")).not.toContain("has had its turn");
  expect(machine.read("ghr/runner/left")).toBe("");
  expect(machine.read("ghr/of")).toBe(machine.env.CONTAINER_ID);
});

test.concurrent("starts no runner any more once it gives the machine back", async () => {
  const commands = {
    // Deaf to what would end it, and done while destroy is under way.
    "apt-get": `[[ ! -e $ONSTART_TEST/lists ]] || exit 0
trap '' INT; sleep 400; : >"$ONSTART_TEST/lists"`,
    curl: `[[ $* != *DELETE* ]] || sleep 150
exec /usr/bin/curl "$@"`,
  };
  await using machine = await machineThatWent({ missing: ["git"], commands, env: deadlineIn(240) });
  expect(machine.calls.only("download", "listener")).toEqual(["download"]);
});

test.concurrent("does nothing when it is run again while it lives", async () => {
  await using machine = await testMachine({}, takesJob(waits(60)));
  await Promise.all([machine.start(), machine.start()]);
  await machine.until(() => machine.calls.only("job").length > 0);
  await machine.live();
  expect(machine.calls.only("PUT", "listener", "SIGINT", "DELETE")).toEqual([
    'PUT {"state":"running"} → 200',
    "listener run",
    "DELETE → 200",
  ]);
});
