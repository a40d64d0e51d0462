import { chmodSync, chownSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { RAN_JOB } from "./support/listener.ts";
import { machineThatWent, testMachine } from "./support/test-machine.ts";

/** As root's own folders are to others. */
function lockedFolder(folder: string): string {
  const locked = join(folder, "locked");
  mkdirSync(locked);
  if (process.getuid?.() === 0) chownSync(locked, 0, 0);
  chmodSync(locked, 0o555);
  return join(locked, "ghr");
}

test.concurrent("runs a job on an image whose user is not root, in a folder that this user may write to", async () => {
  await using machine = await testMachine({ isRoot: false });
  machine.env.GHR_ROOT = lockedFolder(machine.folder);
  expect(await machine.start()).toBe(0);
  await machine.untilGone();
  expect(machine.calls.only("job")).toEqual(RAN_JOB);
  expect(existsSync(join(machine.folder, "ghr/runner"))).toBe(true);
});

test.concurrent("installs by sudo where the image's user may", async () => {
  const sudo = 'echo "sudo $*" >>"$ONSTART_TEST/calls.log"; shift; exec "$@"';
  await using machine = await machineThatWent({
    isRoot: false,
    packages: "apt-get",
    missing: ["curl", "git"],
    commands: { sudo },
  });
  expect(machine.calls.only("job")).toEqual(RAN_JOB);
  expect(machine.calls.only("sudo").every((line) => line.startsWith("sudo -n apt-get "))).toBe(true);
});

test.concurrent("loses no time with what its image's user may not install", async () => {
  await using machine = await machineThatWent({ isRoot: false, packages: "apt-get", missing: ["git"], libicu: false });
  expect(machine.calls.only("job")).toEqual(RAN_JOB);
  expect(machine.read("log")).toContain("There is no git.");
  expect(machine.read("argv.log")).not.toMatch(/^(sleep [13]0$|apt-cache )/m);
});

test.concurrent("says why where it lacks curl and can't install it", async () => {
  const refuses = '[[ $EUID != 0 ]] && echo "E: Could not open lock file (13: Permission denied)" >&2; exit 100';
  await using machine = await testMachine({ isRoot: false, missing: ["curl"], commands: { "apt-get": refuses } });
  await machine.start();
  await machine.until(() => machine.read("log").includes("Giving the machine back."));
  expect(machine.read("log")).toMatch(/There is no curl, and user \d+ can't install it: bring it in the image\.\n/);
});

test.concurrent("says why where it can write to no folder, and gives the machine back all the same", async () => {
  // /tmp is everybody's on this computer; on the machine that is meant it is not.
  const mkdir = '[[ $2 != /tmp/* ]] && exec /usr/bin/mkdir "$@"; exit 1';
  await using machine = await testMachine({ isRoot: false, commands: { mkdir } });
  const locked = lockedFolder(machine.folder);
  machine.env.GHR_ROOT = locked;
  machine.env.HOME = locked;
  await machine.run(`bash ${machine.script} >"$ONSTART_TEST/said" 2>&1`);
  expect(machine.read("said")).toMatch(
    / ghr: There is no folder for user \d+ to write to: use an image whose user is root\.\n\S+ ghr: Staying for 60 s\.\n$/,
  );
  await machine.untilGone();
  expect(machine.calls.only("DELETE")).toEqual(["DELETE → 200"]);
});
