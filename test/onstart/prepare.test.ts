import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import type { Image } from "./support/image.ts";
import { RAN_JOB } from "./support/listener.ts";
import { deadlineIn, machineThatWent, testMachine } from "./support/test-machine.ts";

const PYTHON = "/usr/bin/python3";

test.concurrent("installs curl before it proves the key, git and libicu after it", async () => {
  const image = { packages: "apt-get", missing: ["curl", "git"], libicu: false } as const;
  await using machine = await machineThatWent({ ...image, missing: [...image.missing] });
  const calls = machine.calls.lines().map((line) => line.replace(/ -.* (update|install .*-recommends)/, " $1"));
  // The download goes on beside.
  expect(calls.filter((line) => !/^(download|figures)\b/.test(line)).slice(0, 7)).toEqual([
    "apt-get update",
    "apt-get install -y --no-install-recommends curl ca-certificates",
    'PUT {"state":"running"} → 200',
    "nvidia-smi -L",
    "apt-get install -y --no-install-recommends git",
    "apt-get install -y --no-install-recommends libicu72",
    "listener run",
  ]);
  expect(machine.read("listener.env")).not.toContain("GLOBALIZATION_INVARIANT");
});

test.concurrent("downloads the runner while the key is proved, and tells how long each took", async () => {
  await using machine = await testMachine();
  // The key is not proven before the download has begun.
  machine.service.answer = (method) =>
    method === "DELETE" || machine.calls.only("download").length > 0 ? undefined : { status: 503 };
  await machine.live();
  expect(machine.calls.only("job")).toEqual(RAN_JOB);
  expect(machine.read("log")).toMatch(/ ghr: The runner: download \d+ s, unpacking \d+ s\.\n/);
});

test.concurrent("tells nothing of the download when something else fails: the reason is the last line before the end", async () => {
  const fails = `until [[ -d runner && ! -e runner.tgz ]]; do sleep 1; done; sleep 10; echo No devices; exit 6`;
  await using machine = await machineThatWent({ commands: { "nvidia-smi": fails } });
  const own = machine
    .read("log")
    .split("\n")
    .filter((line) => line.includes(" ghr: "));
  const stays = own.findIndex((line) => line.endsWith(" ghr: Staying for 60 s."));
  expect(own[stays - 1]).toMatch(/ ghr: nvidia-smi fails: No devices \(code 6\)$/);
  expect(own.join()).not.toContain("unpacking");
});

/** The first download of the runner goes wrong so. */
const onFirstDownload = (lines: string) => `if [[ $* == *runner.tgz* && ! -e $ONSTART_TEST/failed ]]; then
  : >"$ONSTART_TEST/failed"
  ${lines}
fi
exec /usr/bin/curl "$@"`;

const RUNS: [string, Image][] = [
  [
    "while packages are installed, which ends when it has begun",
    {
      missing: ["git"],
      commands: { "apt-get": `until [[ $(<"$ONSTART_TEST/calls.log") == *download* ]]; do sleep 1; done` },
    },
  ],
  ["before tar is there to unpack it", { packages: "apt-get", missing: ["tar"] }],
  ["again when that fails", { commands: { curl: onFirstDownload("exit 56") } }],
  [
    // By itself curl waits 300 s for a connection.
    "again when an address of GitHub's does not answer",
    {
      commands: {
        curl: onFirstDownload(`[[ $* =~ --connect-timeout\\ ([0-9]+) ]]; sleep "\${BASH_REMATCH[1]-300}"; exit 28`),
      },
      env: deadlineIn(240),
    },
  ],
];

test.concurrent.each(RUNS)("downloads the runner %s", async (_, image) => {
  await using machine = await machineThatWent(image);
  expect(machine.calls.only("download", "job")).toEqual(["download", ...RAN_JOB]);
});

test.concurrent("calls no package manager when everything is there", async () => {
  await using machine = await machineThatWent({ packages: "apt-get" });
  expect(machine.calls.only("job", "apt-get")).toEqual(RAN_JOB);
});

test.concurrent("starts no runner without curl, and says so", async () => {
  await using machine = await testMachine({ missing: ["curl"] });
  await machine.start();
  await machine.until(() => machine.read("log").includes("Giving the machine back."));
  expect(machine.read("log")).toContain("There is no curl, and user 0 can't install it: bring it in the image.");
  expect(machine.calls.lines()).toEqual([]);
});

test.skipIf(!existsSync(PYTHON))("gives the machine back by Python where curl can't be had", async () => {
  const commands = { python3: `exec ${PYTHON} "$@"` };
  await using machine = await testMachine({ missing: ["curl"], commands, tellsArguments: true });
  await machine.start();
  await machine.until(() => machine.service.destroyed);
  expect(machine.calls.only("PUT", "listener")).toEqual([]);
  expect(machine.read("argv.log")).toContain("python3 -c");
  expect(machine.read("argv.log")).not.toContain(machine.service.key);
});

test.skipIf(!existsSync(PYTHON))("asks again by Python when the service never answers", async () => {
  // One second, not the script's 20: the computer's own alarm knows no faster time.
  const python3 = `exec ${PYTHON} "\${@/signal.alarm(20)/signal.alarm(1)}"`;
  await using machine = await machineThatWent({
    missing: ["curl"],
    commands: { python3 },
    answers: { DELETE: [{ status: 0, hangs: true }] },
  });
  expect(machine.calls.only("DELETE")).toEqual(["DELETE → 0", "DELETE → 200"]);
});

test.concurrent("refuses an Alpine image at once", async () => {
  await using machine = await machineThatWent({ libc: "musl", packages: "apt-get", missing: ["git"] });
  expect(machine.calls.lines()).toEqual(["DELETE → 200"]);
  expect(machine.read("log")).toContain("Alpine images can't run the GitHub runner: it needs glibc.\n");
});

const BROKEN: [string, Image, string][] = [
  ["it has too few GPUs", { gpus: 1, env: { GHR_NUM_GPUS: "2" } }, "nvidia-smi sees 1 of 2 GPUs."],
  [
    "nvidia-smi fails",
    { commands: { "nvidia-smi": "echo 'NVIDIA-SMI has failed because it could not communicate.'; exit 9" } },
    "nvidia-smi fails: NVIDIA-SMI has failed",
  ],
  [
    // Nothing but SIGKILL ends it, and in the kernel not even that would.
    "nvidia-smi hangs, as it does on a broken driver",
    { commands: { "nvidia-smi": "trap '' HUP INT TERM; while true; do sleep 7200; done" } },
    "nvidia-smi took longer than 120 s.",
  ],
  ["the runner's SHA-256 is wrong", { env: { GHR_RUNNER_SHA256: "0".repeat(64) } }, "The runner has a wrong SHA-256."],
  [
    "the runner can't be downloaded",
    { env: { GHR_RUNNER_URL: "http://127.0.0.1:9/runner.tar.gz" } },
    "The runner can't be downloaded.",
  ],
];

test.concurrent.each(BROKEN)("gives the machine back when %s", async (_, image, said) => {
  await using machine = await machineThatWent(image);
  expect(machine.read("log")).toContain(said);
  expect(machine.calls.only("listener")).toEqual([]);
});
