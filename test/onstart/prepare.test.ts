import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { testMachine } from "./support/test-machine.ts";

const PYTHON = "/usr/bin/python3";

test.concurrent("calls no package manager when everything is there", async () => {
  await using machine = await testMachine({ packages: "apt-get" });
  await machine.start();
  await machine.untilGone();
  expect(machine.calls.only("job")).toHaveLength(2);
  expect(machine.calls.only("apt-get")).toEqual([]);
});

test.concurrent("installs curl before it proves the key, git and libicu after it", async () => {
  const image = { packages: "apt-get", missing: ["curl", "git"], libicu: false } as const;
  await using machine = await testMachine({ ...image, missing: [...image.missing] });
  await machine.start();
  await machine.untilGone();
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
  await machine.start();
  await machine.untilGone();
  expect(machine.calls.only("job")).toHaveLength(2);
  expect(machine.read("log")).toMatch(/ ghr: The runner: download \d+ s, unpacking \d+ s\.\n/);
});

test.concurrent("tells nothing of the download when something else fails: the reason is the last line before the end", async () => {
  const fails = `until [[ -d runner && ! -e runner.tgz ]]; do sleep 1; done; sleep 10; echo No devices; exit 6`;
  await using machine = await testMachine({ commands: { "nvidia-smi": fails } });
  await machine.start();
  await machine.untilGone();
  const own = machine
    .read("log")
    .split("\n")
    .filter((line) => line.includes(" ghr: "));
  const stays = own.findIndex((line) => line.endsWith(" ghr: Staying for 60 s."));
  expect(own[stays - 1]).toMatch(/ ghr: nvidia-smi fails: No devices \(code 6\)$/);
  expect(own.join()).not.toContain("unpacking");
});

test.concurrent("downloads the runner while packages are installed", async () => {
  // It is not done before the download has begun.
  const patient = `until [[ $(<"$ONSTART_TEST/calls.log") == *download* ]]; do sleep 1; done`;
  await using machine = await testMachine({ missing: ["git"], commands: { "apt-get": patient } });
  await machine.start();
  await machine.untilGone();
  expect(machine.calls.only("job")).toHaveLength(2);
});

test.concurrent("gets tar before it unpacks the runner", async () => {
  await using machine = await testMachine({ packages: "apt-get", missing: ["tar"] });
  await machine.start();
  await machine.untilGone();
  expect(machine.calls.only("job")).toHaveLength(2);
});

test.concurrent("downloads the runner again when that fails", async () => {
  const flaky = `if [[ $* == *runner.tgz* && ! -e $ONSTART_TEST/failed ]]; then : >"$ONSTART_TEST/failed"; exit 56; fi
exec /usr/bin/curl "$@"`;
  await using machine = await testMachine({ commands: { curl: flaky } });
  await machine.start();
  await machine.untilGone();
  expect(machine.calls.only("download", "job")).toEqual(["download", "job started", "job ended"]);
});

test.concurrent("downloads the runner again when an address of GitHub's does not answer", async () => {
  // By itself curl waits 300 s for a connection.
  const silent = `if [[ $* == *runner.tgz* && ! -e $ONSTART_TEST/failed ]]; then
  : >"$ONSTART_TEST/failed"
  [[ $* =~ --connect-timeout\\ ([0-9]+) ]]
  sleep "\${BASH_REMATCH[1]-300}"
  exit 28
fi
exec /usr/bin/curl "$@"`;
  await using machine = await testMachine({ commands: { curl: silent } });
  machine.env.GHR_DEADLINE = String(Math.floor(Date.now() / 1000) + 240);
  await machine.start();
  await machine.untilGone();
  expect(machine.calls.only("download", "job")).toEqual(["download", "job started", "job ended"]);
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
  await using machine = await testMachine({ missing: ["curl"], commands: { python3 } });
  const faults = [{ status: 0, hangs: true }];
  machine.service.answer = () => faults.shift();
  await machine.start();
  await machine.untilGone();
  expect(machine.calls.only("DELETE")).toEqual(["DELETE → 0", "DELETE → 200"]);
});

test.concurrent("refuses an Alpine image at once", async () => {
  await using machine = await testMachine({ libc: "musl", packages: "apt-get", missing: ["git"] });
  await machine.start();
  await machine.untilGone();
  expect(machine.calls.lines()).toEqual(["DELETE → 200"]);
  expect(machine.read("log")).toContain("Alpine images can't run the GitHub runner: it needs glibc.\n");
});

test.concurrent("gives the machine back when it has too few GPUs", async () => {
  await using machine = await testMachine({ gpus: 1 });
  machine.env.GHR_NUM_GPUS = "2";
  await machine.start();
  await machine.untilGone();
  expect(machine.read("log")).toContain("nvidia-smi sees 1 of 2 GPUs.");
  expect(machine.calls.only("listener")).toEqual([]);
});

test.concurrent("gives the machine back when nvidia-smi fails", async () => {
  const failing = "echo 'NVIDIA-SMI has failed because it could not communicate with the NVIDIA driver.'; exit 9";
  await using machine = await testMachine({ commands: { "nvidia-smi": failing } });
  await machine.start();
  await machine.untilGone();
  expect(machine.read("log")).toContain("nvidia-smi fails: NVIDIA-SMI has failed");
  expect(machine.calls.only("listener")).toEqual([]);
});

test.concurrent("gives the machine back when nvidia-smi hangs, as it does on a broken driver", async () => {
  // Nothing but SIGKILL ends it, and in the kernel not even that would.
  const commands = { "nvidia-smi": "trap '' HUP INT TERM; while true; do sleep 7200; done" };
  await using machine = await testMachine({ commands });
  await machine.start();
  await machine.untilGone();
  expect(machine.read("log")).toContain("nvidia-smi took longer than 120 s.");
  expect(machine.calls.only("listener")).toEqual([]);
});

test.concurrent("gives the machine back when the runner's SHA-256 is wrong", async () => {
  await using machine = await testMachine();
  machine.env.GHR_RUNNER_SHA256 = "0".repeat(64);
  await machine.start();
  await machine.untilGone();
  expect(machine.read("log")).toContain("The runner has a wrong SHA-256.");
  expect(machine.calls.only("download", "listener")).toEqual(["download"]);
});

test.concurrent("gives the machine back when the runner can't be downloaded", async () => {
  await using machine = await testMachine();
  machine.env.GHR_RUNNER_URL = "http://127.0.0.1:9/runner.tar.gz";
  await machine.start();
  await machine.untilGone();
  expect(machine.read("log")).toContain("The runner can't be downloaded.");
  expect(machine.calls.only("listener")).toEqual([]);
});
