import { expect, test } from "vitest";
import { testMachine } from "./support/test-machine.ts";

/** A package manager that can reach no mirror. */
const FAILS = `echo "\${0##*/} $*" >>"$ONSTART_TEST/calls.log"; exit 1`;

test.concurrent("waits for the lock of apt, which the image's own start may hold", async () => {
  await using machine = await testMachine({ packages: "apt-get", missing: ["git"] });
  await machine.start();
  await machine.untilGone();
  expect(machine.calls.only("apt-get").at(-1)).toContain("-o DPkg::Lock::Timeout=120 install -y");
});

test.concurrent("installs with dnf what an image of the RHEL family lacks", async () => {
  await using machine = await testMachine({ packages: "dnf", missing: ["curl", "git"], libicu: false });
  await machine.start();
  await machine.untilGone();
  expect(machine.calls.only("dnf", "listener")).toEqual([
    "dnf install -y curl ca-certificates",
    "dnf install -y git",
    "dnf install -y libicu",
    "listener run",
  ]);
});

test.concurrent("does without git and libicu where they can't be had", async () => {
  await using machine = await testMachine({ missing: ["git"], libicu: false });
  await machine.start();
  await machine.untilGone();
  expect(machine.calls.only("job")).toHaveLength(2);
  expect(machine.read("listener.env")).toContain("DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=1\n");
});

test.concurrent("tries the package manager again when it fails", async () => {
  const flaky = `[[ $* == *install*curl* ]] || exit 0
[[ -e $ONSTART_TEST/failed ]] || { : >"$ONSTART_TEST/failed"; exit 100; }
mv "$ONSTART_TEST/missing/curl" "$ONSTART_TEST/bin/"`;
  await using machine = await testMachine({ missing: ["curl"], commands: { "apt-get": flaky } });
  await machine.start();
  await machine.untilGone();
  expect(machine.calls.only("job")).toHaveLength(2);
});

test.concurrent("goes on with what it has when a package source is broken", async () => {
  const broken = `[[ $* == *install*curl* ]] || exit 100
mv "$ONSTART_TEST/missing/curl" "$ONSTART_TEST/bin/"`;
  await using machine = await testMachine({ missing: ["curl"], commands: { "apt-get": broken } });
  await machine.start();
  await machine.untilGone();
  expect(machine.calls.only("job")).toHaveLength(2);
});

test.concurrent("asks a mirror that is away for one package, as the next one would take as long", async () => {
  const image = { missing: ["git"], libicu: false, commands: { "apt-get": FAILS } };
  await using machine = await testMachine(image);
  await machine.start();
  await machine.untilGone();
  expect(machine.calls.only("job")).toHaveLength(2);
  expect(machine.calls.only("apt-get").filter((line) => line.includes(" install "))).toEqual(
    Array.from({ length: 3 }, () => expect.stringMatching(/ git$/)),
  );
});

test.concurrent("does not ask dnf again by its other name, yum", async () => {
  await using machine = await testMachine({ missing: ["git"], commands: { dnf: FAILS, yum: FAILS } });
  await machine.start();
  await machine.untilGone();
  expect(machine.calls.only("job")).toHaveLength(2);
  expect(machine.calls.only("dnf", "yum")).toEqual(Array.from({ length: 3 }, () => "dnf install -y git"));
});
