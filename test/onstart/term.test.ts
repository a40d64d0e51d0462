import { mkdirSync, readlinkSync, rmSync, symlinkSync } from "node:fs";
import { expect, test } from "vitest";
import { eachMachine, type Life } from "./support/each-machine.ts";
import { ofHost, PYTHON } from "./support/image.ts";
import { RAN_JOB, takesJob, waits } from "./support/listener.ts";
import { GIVEN_BACK, PROVEN } from "./support/stand-in-service.ts";
import { deadlineIn, SCRIPT, type TestMachine, testMachine } from "./support/test-machine.ts";

const HANGING_JOB = takesJob(`trap '' INT; ${waits(7200)}`);
const TICK = 15;
const NO_RUNNER_THERE = { GHR_RUNNER_URL: "http://127.0.0.1:9/runner.tar.gz" };
const findsRunner = ({ env, service }: TestMachine) => Object.assign(env, { GHR_RUNNER_URL: service.runnerUrl });

/**
 * Ends by a signal as the real runner does when a step catches it, after some 10 s; tells which
 * signals it ignores, but for SIGQUIT, which bash's children do.
 */
const tellsLate = (seconds: number) =>
  takesJob(`while read -r name mask; do [[ $name != SigIgn: ]] || call ignores "$((16#$mask & ~(1 << 2)))"; done </proc/$$/status
for signal in INT TERM; do trap "call job told by $signal; (trap '' INT TERM; sleep ${seconds}); call job over; exit" "$signal"; done
${waits(7200)}`);

/** On an image whose env is old, and where SIGINT is ignored. */
const interruptsBy = (needs: string, name: string, [signal, ignored]: readonly [string, number]): Life => ({
  needs,
  ignoresSigint: true,
  commands: {
    env: "echo \"env: unrecognized option '--default-signal=INT'\" >&2; exit 125",
    ...(name !== "" && { [name]: ofHost(name) }),
  },
  env: deadlineIn(240),
  runner: tellsLate(5),
  calls: {
    "job DELETE": ["job started", `job told by ${signal}`, "job over", GIVEN_BACK],
    // Python, which ignores others itself, hands none of that on.
    ignores: [`ignores ${ignored}`],
  },
});

eachMachine({
  "leaves a runner 12 s at the deadline to tell how its job ended": {
    ...{ inBothWays: true, env: deadlineIn(240), runner: tellsLate(12) },
    calls: { "job DELETE": ["job started", "job told by INT", "job over", GIVEN_BACK] },
    says: / ghr: Time is up after 2\d\d s: stopping the runner\.\n/,
    // Not a tick later than it has to be.
    check: (machine) => expect(machine.read("ghr/ticks").length * TICK).toBeLessThanOrEqual(240),
  },
  "leaves a runner no more than 15 s at the deadline": {
    ...{ inBothWays: true, env: deadlineIn(240), runner: tellsLate(40) },
    calls: { "job DELETE": ["job started", "job told by INT", GIVEN_BACK] },
  },
  "interrupts by Perl on an image whose env is old": interruptsBy("/usr/bin/perl", "perl", ["INT", 0]),
  "interrupts by Python on an image whose env is old": interruptsBy(PYTHON, "python3", ["INT", 0]),
  "interrupts by SIGTERM where nothing can make SIGINT heard": interruptsBy("/", "", ["TERM", 2]),
  "counts its term from the first start, whatever the clocks say": {
    ...{ hasNoDate: true, env: { ...NO_RUNNER_THERE, GHR_MAX_UPTIME: "240" }, runner: HANGING_JOB },
    restartAt: "The key works.",
    changes(machine) {
      expect(machine.read("ghr/ticks").length).toBeLessThan(240 / TICK);
      findsRunner(machine);
    },
    calls: { listener: ["listener run"] },
    check: (machine) => expect(machine.read("ghr/ticks")).toHaveLength(240 / TICK),
  },
  "starts no runner when the deadline passed while the container was stopped": {
    env: NO_RUNNER_THERE,
    restartAt: "The key works.",
    changes(machine) {
      findsRunner(machine);
      machine.service.now = () => Date.now() + 7201_000;
    },
    calls: { listener: [] },
    says: "Time is up.",
  },
  "is not fooled by another process that has the id of its own before a restart": {
    runner: takesJob(waits(7200)),
    restartAt: "job started",
    changes({ folder }) {
      const holder = readlinkSync(`${folder}/ghr/lock`).replace(/^\d+/, String(process.pid));
      rmSync(`${folder}/ghr/lock`);
      symlinkSync(holder, `${folder}/ghr/lock`);
    },
    // Nor does it start a second runner.
    calls: { "PUT listener DELETE": [PROVEN, "listener run", GIVEN_BACK] },
    says: "This machine has had its turn.",
  },
  "keeps its term on a disk that takes no lock": { commands: { ln: "exit 1" } },
  "a volume that brings the files of another machine changes nothing": {
    files: {
      ...{ "ghr/of": "40", "ghr/over": "", "ghr/spent": "1\n", "ghr/ticks": "....", "ghr/accepted": "" },
      "ghr/runner/left": "left",
    },
    calls: { "listener DELETE": ["listener run", GIVEN_BACK] },
    neverSays: "has had its turn",
    check: (machine) => expect([machine.read("ghr/runner/left"), machine.read("ghr/of")]).toEqual(["", "7"]),
  },
  "starts no runner any more once it gives the machine back": {
    missing: ["git"],
    commands: {
      // Deaf to what would end it, and done while destroy is under way.
      "apt-get": `[[ ! -e $ONSTART_TEST/lists ]] || exit 0
trap '' INT; sleep 400; : >"$ONSTART_TEST/lists"`,
      curl: `[[ $* != *DELETE* ]] || sleep 150\n${ofHost("curl")}`,
    },
    env: deadlineIn(240),
    calls: { "download listener": ["download"] },
  },
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

test.concurrent.each<[string, Record<string, string>]>([
  ["at the same time", {}],
  // Both have seen that the guard of before is gone when the first one takes its place.
  ["at the same time after a restart", { readlink: '/usr/bin/readlink "$@"; code=$?; sleep 25; exit "$code"' }],
])("has one guard when it is run %s, and again while it lives", async (_, commands) => {
  await using machine = await testMachine({ commands }, takesJob(waits(60)));
  if (commands.readlink !== undefined) {
    mkdirSync(`${machine.folder}/ghr`);
    symlinkSync("4194305.1", `${machine.folder}/ghr/lock`);
  }
  await Promise.all([machine.start(), machine.start()]);
  await machine.until(() => machine.calls.only("job").length > 0);
  await machine.live();
  const once = [PROVEN, "listener run", ...RAN_JOB, GIVEN_BACK];
  expect(machine.calls.only("PUT", "listener", "job", "SIGINT", "DELETE")).toEqual(once);
});
