import { existsSync, readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { eachMachine, type Life } from "./support/each-machine.ts";
import { ofHost, PYTHON } from "./support/image.ts";
import { RAN_JOB, RUNNER_FOLDER, runnerOfImage, takesJob } from "./support/listener.ts";
import { GIVEN_BACK, PROVEN } from "./support/stand-in-service.ts";
import { deadlineIn, testMachine } from "./support/test-machine.ts";

test.concurrent("downloads the runner while the key is proved, and tells how long each took", async () => {
  await using machine = await testMachine();
  // The key is not proven before the download has begun.
  machine.service.answer = (method) =>
    method === "DELETE" || machine.calls.only("download").length > 0 ? undefined : { status: 503 };
  await machine.live();
  expect(machine.calls.only("job")).toEqual(RAN_JOB);
  expect(machine.read("log")).toMatch(/ ghr: The runner: download \d+ s, unpacking \d+ s\.\n/);
});

const APT = "apt-get -qq -o";
/** Waits for the lock, which the image's own start may hold. */
const INSTALLS = `${APT} DPkg::Lock::Timeout=120 install -y --no-install-recommends`;

/** The first download of the runner goes wrong so. */
const onFirstDownload = (lines: string) => ({
  curl: `if [[ $* == *runner.tgz* && ! -e $ONSTART_TEST/failed ]]; then
  : >"$ONSTART_TEST/failed"
  ${lines}
fi
${ofHost("curl")}`,
});
const DOWNLOADED = { "download job": ["download", ...RAN_JOB] };
const OTHER_SUM = { GHR_RUNNER_SHA256: "0".repeat(64) };
const NOWHERE = { GHR_RUNNER_URL: "http://127.0.0.1:9/runner.tar.gz" };
const noRunner = (env: Record<string, string>, says: string): Life => ({ env, says, calls: { listener: [] } });

eachMachine({
  "installs curl before it proves the key, git and libicu after it": {
    ...{ packages: "apt-get", missing: ["curl", "git"], libicu: false },
    calls: {
      "apt-get PUT nvidia-smi listener": [
        `${APT} Acquire::Check-Date=false update`,
        `${INSTALLS} curl ca-certificates`,
        ...[PROVEN, "nvidia-smi -L"],
        ...[`${INSTALLS} git`, `${INSTALLS} libicu72`, "listener run"],
      ],
    },
    check: ({ read }) => expect(read("listener.env")).not.toContain("GLOBALIZATION_INVARIANT"),
  },
  "tells nothing of the download when something else fails: the reason is the last line before the end": {
    commands: {
      "nvidia-smi": "until [[ -d runner && ! -e runner.tgz ]]; do sleep 1; done; sleep 10; echo No devices; exit 6",
    },
    calls: { listener: [] },
    neverSays: "unpacking",
    check(machine) {
      const own = machine.ownLines();
      const stays = own.findIndex((line) => line.endsWith(" ghr: Staying for 60 s."));
      expect(own[stays - 1]).toMatch(/ ghr: nvidia-smi fails: No devices \(code 6\)$/);
    },
  },
  "downloads the runner while packages are installed, which ends when it has begun": {
    missing: ["git"],
    commands: { "apt-get": `until [[ $(<"$ONSTART_TEST/calls.log") == *download* ]]; do sleep 1; done` },
    calls: DOWNLOADED,
  },
  "downloads the runner before tar is there to unpack it": {
    ...{ packages: "apt-get", missing: ["tar"] },
    calls: DOWNLOADED,
  },
  "downloads the runner again when that fails": { commands: onFirstDownload("exit 56"), calls: DOWNLOADED },
  "downloads the runner again when an address of GitHub's does not answer": {
    // By itself curl waits 300 s for a connection.
    commands: onFirstDownload(`[[ $* =~ --connect-timeout\\ ([0-9]+) ]]; sleep "\${BASH_REMATCH[1]-300}"; exit 28`),
    env: deadlineIn(240),
    calls: DOWNLOADED,
  },
  "calls no package manager when everything is there": { packages: "apt-get", calls: { "job apt-get": RAN_JOB } },
  "gives the machine back by Python where curl can't be had, and asks again when the service never answers": {
    needs: PYTHON,
    ...{ missing: ["curl"], tellsArguments: true, answers: { DELETE: [{ status: 0, hangs: true }] } },
    // One second, not the script's 20: the computer's own alarm knows no faster time.
    commands: { python3: `exec ${PYTHON} "\${@/signal.alarm(20)/signal.alarm(1)}"` },
    calls: { "PUT listener DELETE": ["DELETE → 0", GIVEN_BACK] },
    check({ read, service }) {
      expect(read("argv.log")).toContain("python3 -c");
      expect(read("argv.log")).not.toContain(service.key);
    },
  },
  "refuses an Alpine image at once": {
    ...{ libc: "musl", packages: "apt-get", missing: ["git"] },
    calls: { "PUT nvidia-smi apt-get download listener DELETE": [GIVEN_BACK] },
    says: "Alpine images can't run the GitHub runner: it needs glibc.\n",
  },
  "gives the machine back when nvidia-smi hangs, as it does on a broken driver": {
    // Nothing but SIGKILL ends it, and in the kernel not even that would.
    commands: { "nvidia-smi": "trap '' HUP INT TERM; while true; do sleep 7200; done" },
    ...noRunner({}, "nvidia-smi took longer than 120 s."),
  },
  "gives the machine back when the runner's SHA-256 is wrong": noRunner(OTHER_SUM, "The runner has a wrong SHA-256."),
  "gives the machine back when the runner can't be downloaded": noRunner(NOWHERE, "The runner can't be downloaded."),
});

/** A job that tells from where its runner ran, and what that wrote into its folder. */
const TELLS_HOME = `call home "\${0#$ONSTART_TEST/}"; : >"\${0%/bin/*}/.runner"\n${takesJob()}`;

/** The runner of the image tells its version so. */
const notTaken = (version: string): Life => ({
  files: { "baked/bin/Runner.Listener": `#!/bin/bash\n[[ $1 == --version ]] && ${version}\n` },
  env: (folder) => ({ RUNNER_HOME: join(folder, "baked") }),
  calls: { "download job": ["download", ...RAN_JOB] },
});

eachMachine({
  "uses the image's runner of the offered version, and writes nothing into it": {
    ...{ env: runnerOfImage, files: { [`${RUNNER_FOLDER}/externals/node`]: "" }, runner: TELLS_HOME },
    calls: { "download listener home job": ["listener run", "home ghr/runner/bin/Runner.Listener", ...RAN_JOB] },
    says: /The image has runner 2\.337\.0 in \S+\/tarball; GitHub offers 2\.337\.0\.\n/,
    check({ folder }) {
      const home = join(folder, RUNNER_FOLDER);
      expect(existsSync(join(folder, "ghr/runner/.runner"))).toBe(true);
      expect(readlinkSync(join(folder, "ghr/runner/externals"))).toBe(join(home, "externals"));
      expect(readdirSync(home).sort()).toEqual(["bin", "externals"]);
    },
  },
  "needs no tar for the image's runner, where none can be had": {
    ...{ missing: ["tar"], commands: { "apt-get": "exit 100" }, env: runnerOfImage },
    calls: { "download job": RAN_JOB },
  },
  "downloads the runner when that of the image is of another version": notTaken("echo 2.330.0"),
  "downloads the runner when that of the image does not run": notTaken("exit 134"),
  "downloads the runner when that of the image says more than its version": notTaken("echo 2.337.0-rc"),
  "downloads the runner when its address tells no version": {
    ...notTaken("echo 2.337.0"),
    changesBefore: ({ env, service }) => Object.assign(env, { GHR_RUNNER_URL: `${service.url}/elsewhere` }),
  },
});
