import { expect, test } from "vitest";
import { RAN_JOB } from "./support/listener.ts";
import { machineThatWent } from "./support/test-machine.ts";

/** A package manager that can reach no mirror. */
const FAILS = `echo "\${0##*/} $*" >>"$ONSTART_TEST/calls.log"; exit 1`;

test.concurrent("waits for the lock of apt, which the image's own start may hold", async () => {
  await using machine = await machineThatWent({ packages: "apt-get", missing: ["git"] });
  expect(machine.calls.only("apt-get").at(-1)).toContain("-o DPkg::Lock::Timeout=120 install -y");
});

test.concurrent("installs with dnf what an image of the RHEL family lacks", async () => {
  await using machine = await machineThatWent({ packages: "dnf", missing: ["curl", "git"], libicu: false });
  expect(machine.calls.only("dnf", "listener")).toEqual([
    "dnf install -y curl ca-certificates",
    "dnf install -y git",
    "dnf install -y libicu",
    "listener run",
  ]);
});

test.concurrent("does without git and libicu where they can't be had", async () => {
  await using machine = await machineThatWent({ missing: ["git"], libicu: false });
  expect(machine.calls.only("job")).toEqual(RAN_JOB);
  expect(machine.read("listener.env")).toContain("DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=1\n");
});

const HAS_CURL = 'mv "$ONSTART_TEST/missing/curl" "$ONSTART_TEST/bin/"';

test.concurrent.each([
  [
    "fails at first",
    `[[ $* == *install*curl* ]] || exit 0
[[ -e $ONSTART_TEST/failed ]] || { : >"$ONSTART_TEST/failed"; exit 100; }
${HAS_CURL}`,
  ],
  ["has a source that is broken", `[[ $* == *install*curl* ]] || exit 100\n${HAS_CURL}`],
])("goes on where the package manager %s", async (_, lines) => {
  await using machine = await machineThatWent({ missing: ["curl"], commands: { "apt-get": lines } });
  expect(machine.calls.only("job")).toEqual(RAN_JOB);
});

test.concurrent("asks a mirror that is away for one package, as the next one would take as long", async () => {
  const image = { missing: ["git"], libicu: false, commands: { "apt-get": FAILS } };
  await using machine = await machineThatWent(image);
  expect(machine.calls.only("job")).toEqual(RAN_JOB);
  expect(machine.calls.only("apt-get").filter((line) => line.includes(" install "))).toEqual(
    Array.from({ length: 3 }, () => expect.stringMatching(/ git$/)),
  );
});

test.concurrent("does not ask dnf again by its other name, yum", async () => {
  await using machine = await machineThatWent({ missing: ["git"], commands: { dnf: FAILS, yum: FAILS } });
  expect(machine.calls.only("job")).toEqual(RAN_JOB);
  expect(machine.calls.only("dnf", "yum")).toEqual(Array.from({ length: 3 }, () => "dnf install -y git"));
});
