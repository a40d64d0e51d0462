import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { BOTH_WAYS } from "./support/image.ts";
import { FOREIGN_JOB, RAN_JOB, takesJob, waits } from "./support/listener.ts";
import { deadlineIn, machineThatWent, setupOf, type TestMachine, testMachine } from "./support/test-machine.ts";

/** Tells which of the configurations a listener has. */
const TELLS_CONFIGURATION = 'call configuration "$ACTIONS_RUNNER_INPUT_JITCONFIG"';

/** The variables of a machine that has these. */
function configurations(...names: string[]): Record<string, string> {
  return Object.fromEntries(names.map((name, index) => [index === 0 ? "GHR_JIT" : `GHR_JIT_${index + 1}`, name]));
}

/** A listener's lines by start: the n-th runs the n-th of these, all further ones the last. */
function byStart(...lines: string[]): string {
  const cases = lines.map((line, index) => `${index + 1 < lines.length ? index + 1 : "*"}) ${line} ;;`);
  return `starts=0; while read -r word _; do [[ $word != listener ]] || ((starts += 1)); done <"$ONSTART_TEST/calls.log"
case $starts in
${cases.join("\n")}
esac`;
}

test.concurrent("runs one job after another, each by a runner of its own, and gives the machine back after the last", async () => {
  await using machine = await machineThatWent(
    { env: configurations("one", "two", "three", "four") },
    `${TELLS_CONFIGURATION}\n${takesJob()}`,
  );
  const jobs = ["one", "two", "three", "four"].map((name) => `configuration ${name},job started,job ended`);
  expect(machine.calls.only("configuration", "job", "DELETE").join()).toBe(`${jobs.join()},DELETE → 200`);
  expect(machine.calls.only("download")).toHaveLength(1);
});

test.concurrent("gives each job a clean work folder, and the home folder as it was before the first", async () => {
  const looks = `for file in runner/_work/left runner/_diag/left runner/.credentials runner/.runner_migrated ~/.netrc ~/.docker/left ~/.config/gh/hosts.yml \
  ~/.ssh/id_ed25519 ~/.ssh/authorized_keys ~/.cache/huggingface/token ~/.cache/left; do
  [[ ! -e $file ]] || call found "$file"
done
read -r line <~/.gitconfig; call gitconfig "$line"
read -r line <~/.config/git/config; call git/config "$line"
mkdir -p runner/_work runner/_diag ~/.docker ~/.ssh ~/.config/gh ~/.cache/huggingface
touch runner/_work/left runner/_diag/left runner/.credentials runner/.runner_migrated ~/.netrc ~/.docker/left ~/.config/gh/hosts.yml \
  ~/.ssh/id_ed25519 ~/.ssh/authorized_keys ~/.cache/huggingface/token ~/.cache/left
echo changed >~/.gitconfig; echo changed >~/.config/git/config`;
  await using machine = await testMachine({ env: configurations("one", "two") }, `${takesJob(looks)}`);
  // An image may have it: then bash looks for a folder there first, and finds this computer's.
  machine.env.CDPATH = "/";
  mkdirSync(join(machine.folder, ".config/git"), { recursive: true });
  for (const name of [".gitconfig", ".config/git/config"]) writeFileSync(join(machine.folder, name), "of the image\n");
  await machine.live();
  // A cache is what makes the second job quicker; keys that may come in are nobody's login.
  expect(machine.calls.only("found", "gitconfig", "git/config")).toEqual([
    "gitconfig of the image",
    "git/config of the image",
    `found ${machine.folder}/.ssh/authorized_keys`,
    `found ${machine.folder}/.cache/left`,
    "gitconfig of the image",
    "git/config of the image",
  ]);
});

/** Leaves a folder of which only root, or one who may become root, can remove something. */
const LEAVES_LOCKED = "mkdir -p runner/_work/locked && touch runner/_work/locked/file && chmod 500 runner/_work/locked";
/** A stand-in for the power that sudo gives. */
const sudo = `echo "sudo $*" >>"$ONSTART_TEST/calls.log"
/usr/bin/chmod -R u+w "$ONSTART_TEST/ghr/runner/_work"; shift; exec "$@"`;

test.concurrent("removes as root what a job left as root, where the image's user may use sudo", async () => {
  await using machine = await machineThatWent(
    { isRoot: false, commands: { sudo }, env: configurations("one", "two") },
    takesJob(LEAVES_LOCKED),
  );
  expect(machine.calls.only("job")).toEqual(["job started", "job ended", "job started", "job ended"]);
  expect(machine.calls.only("sudo")).toEqual([expect.stringMatching(/^sudo -n rm -rf runner\/_work /)]);
});

test.concurrent("says why no further job runs where it can't remove what one left", async () => {
  await using machine = await machineThatWent(
    { isRoot: false, env: configurations("one", "two") },
    takesJob(LEAVES_LOCKED),
  );
  expect(machine.calls.only("job")).toEqual(RAN_JOB);
  expect(machine.read("log")).toMatch(
    / ghr: This machine can't be cleaned for a further job: .*rm: cannot remove .*runner\/_work\/locked\/file.*: Permission denied\n/,
  );
  expect(machine.read("log")).not.toMatch(/Line \d+ of work\.sh failed/);
});

test.concurrent("counts the idle time of each runner anew", async () => {
  // Each comes after three quarters of what the runner may wait.
  await using machine = await machineThatWent(
    { env: { GHR_IDLE_TIMEOUT: "80", ...configurations("one", "two") } },
    `${waits(150)}\n${takesJob()}`,
  );
  expect(machine.calls.only("job", "SIGINT")).toEqual(["job started", "job ended", "job started", "job ended"]);
});

test.concurrent.each(BOTH_WAYS)(
  "gives the machine back when the second runner gets no job, and starts no third: SIGINT $sigint",
  async ({ way }) => {
    await using machine = await machineThatWent(
      { ...way, env: { GHR_IDLE_TIMEOUT: "0", ...configurations("one", "two", "three") } },
      byStart(takesJob(), waits(7200)),
    );
    expect(machine.calls.only("listener", "job", "SIGINT", "DELETE")).toEqual([
      "listener run",
      "job started",
      "job ended",
      "listener run",
      "SIGINT",
      "DELETE → 200",
    ]);
  },
);

test.concurrent("refuses a foreign job, and runs its own one after it", async () => {
  const foreign = takesJob(":", FOREIGN_JOB);
  await using machine = await machineThatWent({ env: configurations("one", "two") }, byStart(foreign, takesJob()));
  expect(machine.calls.only("job")).toEqual(["job refused", "job started", "job ended"]);
});

test.concurrent("starts no further runner with less than half of max-lifetime left", async () => {
  await using machine = await machineThatWent(
    { env: { GHR_MAX_LIFETIME: "600", ...deadlineIn(480), ...configurations("one", "two", "three") } },
    takesJob(waits(200)),
  );
  expect(machine.calls.only("job", "DELETE")).toEqual(["job started", "job ended", "DELETE → 200"]);
  expect(machine.read("log")).toContain("Less than half of max-lifetime is left: no further job.\n");
});

/** Tells how many ticks the machine has lived. */
const TELLS_TICKS = 'read -r ticks <"$ONSTART_TEST/ghr/ticks"; call "ticks $ticks"';
const HANGS = takesJob(`trap '' INT; ${waits(7200)}`);

/** How many ticks the machine lived on after its first listener had told them. */
function ticksFromFirstListener(machine: TestMachine): number {
  const [first = ""] = machine.calls.only("ticks");
  return machine.read("ghr/ticks").length - (first.split(" ")[1] ?? "").length;
}

test.concurrent("lives max-lifetime from its first listener on, however long it took until then", async () => {
  await using machine = await machineThatWent(
    {
      env: {
        GHR_MAX_LIFETIME: "150",
        ...setupOf("sleep 100", 600),
        ...configurations("one", "two"),
      },
    },
    `${TELLS_TICKS}\n${byStart(takesJob(waits(60)), HANGS)}`,
  );
  expect(machine.calls.only("job", "DELETE")).toEqual(["job started", "job ended", "job started", "DELETE → 200"]);
  // The tick in which it starts is rounded up, and its listener may have counted that one.
  expect([10, 11]).toContain(ticksFromFirstListener(machine));
});

test.concurrent("has no new max-lifetime after a restart of the container", async () => {
  await using machine = await testMachine(
    { env: { GHR_MAX_LIFETIME: "150", ...configurations("one", "two") } },
    `${TELLS_TICKS}\n${HANGS}`,
  );
  await machine.start();
  await machine.until(() => machine.calls.only("job").length > 0);
  machine.stop();
  await machine.live();
  expect(machine.calls.only("job", "DELETE")).toEqual(["job started", "job started", "DELETE → 200"]);
  expect([10, 11]).toContain(ticksFromFirstListener(machine));
});

test.concurrent("never lives beyond the deadline that it was made with", async () => {
  await using machine = await testMachine({ env: { GHR_MAX_UPTIME: "180" } }, HANGS);
  machine.service.now = () => undefined;
  await machine.live();
  expect(machine.read("ghr/ticks")).toHaveLength(12);
});

test.concurrent("takes the next configuration after a restart of the container, and a used one never again", async () => {
  const listener = `${TELLS_CONFIGURATION}\n${byStart(takesJob(waits(7200)), takesJob())}`;
  await using machine = await testMachine({ env: configurations("one", "two") }, listener);
  await machine.start();
  await machine.until(() => machine.calls.only("job").length > 0);
  machine.stop();
  await machine.live();
  expect(machine.calls.only("configuration", "job")).toEqual([
    "configuration one",
    "job started",
    "configuration two",
    "job started",
    "job ended",
  ]);
});

test.concurrent.each(BOTH_WAYS)(
  "interrupts the job at the deadline, so that it may end well, and starts no further runner: SIGINT $sigint",
  async ({ way }) => {
    await using machine = await machineThatWent(
      { ...way, env: { ...deadlineIn(240), GHR_MAX_LIFETIME: "30", ...configurations("one", "two") } },
      takesJob(`trap 'call job interrupted; exit 0' INT; ${waits(7200)}`),
    );
    expect(machine.calls.only("listener", "job")).toEqual(["listener run", "job started", "job interrupted"]);
  },
);
