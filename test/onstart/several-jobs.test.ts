import { expect } from "vitest";
import { eachMachine } from "./support/each-machine.ts";
import { notes } from "./support/image.ts";
import { FOREIGN_JOB, RAN_JOB, takesJob, waits } from "./support/listener.ts";
import { GIVEN_BACK } from "./support/stand-in-service.ts";
import { deadlineIn, setupOf, type TestMachine } from "./support/test-machine.ts";

/** Tells which of the configurations a listener has. */
const TELLS_CONFIGURATION = 'call configuration "$ACTIONS_RUNNER_INPUT_JITCONFIG"';

/** The variables of a machine that has these. */
function configurations(...names: string[]): Record<string, string> {
  return Object.fromEntries(names.map((name, index) => [index === 0 ? "GHR_JIT" : `GHR_JIT_${index + 1}`, name]));
}
const TWO = configurations("one", "two");

/** A listener's lines by start: the n-th runs the n-th of these, all further ones the last. */
function byStart(...lines: string[]): string {
  const cases = lines.map((line, index) => `${index + 1 < lines.length ? index + 1 : "*"}) ${line} ;;`);
  return `starts=0; while read -r word _; do [[ $word != listener ]] || ((starts += 1)); done <"$ONSTART_TEST/calls.log"
case $starts in
${cases.join("\n")}
esac`;
}

/** What a job leaves that the next one must not get. */
const LEFT = `runner/_work/left runner/_diag/left runner/.credentials runner/.runner_migrated ~/.netrc ~/.docker/left \
~/.config/gh/hosts.yml ~/.ssh/id_ed25519 ~/.cache/huggingface/token`;
/** A cache is what makes the second job quicker; keys that may come in are nobody's login. */
const STAYS = "~/.ssh/authorized_keys ~/.cache/left";
const LOOKS = `for file in ${LEFT} ${STAYS}; do
  [[ ! -e $file ]] || call found "\${file#$HOME/}"
done
read -r line <~/.gitconfig; call gitconfig "$line"
read -r line <~/.config/git/config; call git/config "$line"
mkdir -p runner/_work runner/_diag ~/.docker ~/.ssh ~/.config/gh ~/.cache/huggingface
touch ${LEFT} ${STAYS}
echo changed >~/.gitconfig; echo changed >~/.config/git/config`;
const OF_IMAGE = ["gitconfig of the image", "git/config of the image"];

/** Leaves a folder of which only root, or one who may become root, can remove something. */
const LEAVES_LOCKED = "mkdir -p runner/_work/locked && touch runner/_work/locked/file && chmod 500 runner/_work/locked";
/** A stand-in for the power that sudo gives. */
const sudo = `${notes("sudo $*")}
/usr/bin/chmod -R u+w "$ONSTART_TEST/ghr/runner/_work"; shift; exec "$@"`;

/** Tells how many ticks the machine has lived. */
const TELLS_TICKS = 'read -r ticks <"$ONSTART_TEST/ghr/ticks"; call "ticks $ticks"';
const HANGS = takesJob(`trap '' INT; ${waits(7200)}`);

/** The tick in which it starts is rounded up, and its listener may have counted that one. */
function livedMaxLifetime(machine: TestMachine): void {
  const [first = ""] = machine.calls.only("ticks");
  expect([10, 11]).toContain(machine.read("ghr/ticks").length - (first.split(" ")[1] ?? "").length);
}

eachMachine({
  "runs one job after another, each by a runner of its own, and gives the machine back after the last": {
    env: configurations("one", "two", "three", "four"),
    runner: `${TELLS_CONFIGURATION}\n${takesJob()}`,
    calls: {
      "configuration job": ["one", "two", "three", "four"].flatMap((name) => [`configuration ${name}`, ...RAN_JOB]),
      "job DELETE": [...RAN_JOB, ...RAN_JOB, ...RAN_JOB, ...RAN_JOB, GIVEN_BACK],
      download: ["download"],
    },
  },
  "gives each job a clean work folder, and the home folder as it was before the first": {
    // An image may have CDPATH: then bash looks for a folder there first, and finds this computer's.
    env: { ...TWO, CDPATH: "/" },
    files: { ".gitconfig": "of the image\n", ".config/git/config": "of the image\n" },
    runner: takesJob(LOOKS),
    calls: {
      "found gitconfig git/config": [...OF_IMAGE, ...["found .ssh/authorized_keys", "found .cache/left"], ...OF_IMAGE],
    },
  },
  "removes as root what a job left as root, where the image's user may use sudo": {
    ...{ isRoot: false, commands: { sudo }, env: TWO, runner: takesJob(LEAVES_LOCKED) },
    calls: { job: [...RAN_JOB, ...RAN_JOB], sudo: [expect.stringMatching(/^sudo -n rm -rf runner\/_work /)] },
  },
  "says why no further job runs where it can't remove what one left": {
    ...{ isRoot: false, env: TWO, runner: takesJob(LEAVES_LOCKED) },
    says: / ghr: This machine can't be cleaned for a further job: .*rm: cannot remove .*runner\/_work\/locked\/file.*: Permission denied\n/,
    neverSays: /Line \d+ of work\.sh failed/,
  },
  "counts the idle time of each runner anew": {
    // Each comes after three quarters of what the runner may wait.
    env: { GHR_IDLE_TIMEOUT: "80", ...TWO },
    runner: `${waits(150)}\n${takesJob()}`,
    calls: { "job SIGINT": [...RAN_JOB, ...RAN_JOB] },
  },
  "gives the machine back when the second runner gets no job, and starts no third": {
    inBothWays: true,
    env: { GHR_IDLE_TIMEOUT: "0", ...configurations("one", "two", "three") },
    runner: byStart(takesJob(), waits(7200)),
    calls: { "listener job SIGINT DELETE": ["listener run", ...RAN_JOB, "listener run", "SIGINT", GIVEN_BACK] },
  },
  "refuses a foreign job, and runs its own one after it": {
    env: TWO,
    runner: byStart(takesJob(":", FOREIGN_JOB), takesJob()),
    calls: { job: ["job refused", ...RAN_JOB] },
  },
  "starts no further runner with less than half of max-lifetime left": {
    env: { GHR_MAX_LIFETIME: "600", ...deadlineIn(480), ...configurations("one", "two", "three") },
    runner: takesJob(waits(200)),
    calls: { "job DELETE": [...RAN_JOB, GIVEN_BACK] },
    says: "Less than half of max-lifetime is left: no further job.\n",
  },
  "lives max-lifetime from its first listener on, however long it took until then": {
    env: { GHR_MAX_LIFETIME: "150", ...setupOf("sleep 100", 600), ...TWO },
    runner: `${TELLS_TICKS}\n${byStart(takesJob(waits(60)), HANGS)}`,
    calls: { "job DELETE": [...RAN_JOB, "job started", GIVEN_BACK] },
    check: livedMaxLifetime,
  },
  "has no new max-lifetime after a restart of the container": {
    env: { GHR_MAX_LIFETIME: "150", ...TWO },
    runner: `${TELLS_TICKS}\n${HANGS}`,
    restartAt: "job started",
    calls: { "job DELETE": ["job started", "job started", GIVEN_BACK] },
    check: livedMaxLifetime,
  },
  "takes the next configuration after a restart of the container, and a used one never again": {
    env: TWO,
    runner: `${TELLS_CONFIGURATION}\n${byStart(takesJob(waits(7200)), takesJob())}`,
    restartAt: "job started",
    calls: { "configuration job": ["configuration one", "job started", "configuration two", ...RAN_JOB] },
  },
  "interrupts the job at the deadline, so that it may end well, and starts no further runner": {
    inBothWays: true,
    env: { ...deadlineIn(240), GHR_MAX_LIFETIME: "30", ...TWO },
    runner: takesJob(`trap 'call job interrupted; exit 0' INT; ${waits(7200)}`),
    calls: { "listener job": ["listener run", "job started", "job interrupted"] },
  },
});
