import { renameSync, rmSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { packText } from "../../src/machine/script/pack-text.ts";
import { type TestMachine, testMachine } from "./support/test-machine.ts";

const isRoot = process.getuid?.() === 0;

/** Makes setup write down its variables. */
function tellsSetup(machine: TestMachine): void {
  machine.env.GHR_SETUP = packText('/usr/bin/env >"$ONSTART_TEST/setup.env"; pwd >"$ONSTART_TEST/setup.pwd"');
  machine.env.GHR_SETUP_TIMEOUT = "60";
}

test.concurrent("appends the system's folders to a PATH of one folder, for runner and setup", async () => {
  await using machine = await testMachine({ packages: "apt-get", missing: ["git"] });
  const system = join(machine.folder, "system");
  rmSync(system, { recursive: true });
  renameSync(join(machine.folder, "host"), system);
  machine.env.PATH = join(machine.folder, "bin");
  tellsSetup(machine);
  await machine.start();
  await machine.untilGone();
  expect(machine.calls.only("job")).toEqual(["job started", "job ended"]);
  for (const name of ["listener.env", "setup.env"])
    expect(machine.read(name)).toMatch(new RegExp(`^PATH=${machine.env.PATH}:${system}$`, "m"));
});

test.concurrent("leaves a PATH that has the system's folders, and a HOME that is a folder", async () => {
  await using machine = await testMachine();
  machine.env.PATH = ["system", "bin", "host"].map((name) => join(machine.folder, name)).join(":");
  tellsSetup(machine);
  await machine.start();
  await machine.untilGone();
  for (const name of ["listener.env", "setup.env"]) {
    expect(machine.read(name)).toMatch(new RegExp(`^PATH=${machine.env.PATH}$`, "m"));
    expect(machine.read(name)).toMatch(new RegExp(`^HOME=${machine.folder}$`, "m"));
  }
});

test.concurrent.each([
  ["unset", undefined],
  ["empty", ""],
  ["no folder", "/nowhere/at/all"],
])("takes the folder of the user's entry where HOME is %s", async (_, home) => {
  await using machine = await testMachine();
  delete machine.env.HOME;
  if (home !== undefined) machine.env.HOME = home;
  tellsSetup(machine);
  await machine.start();
  await machine.untilGone();
  const { homedir } = userInfo();
  for (const name of ["listener.env", "setup.env"])
    expect(machine.read(name)).toMatch(new RegExp(`^HOME=${homedir}$`, "m"));
  expect(machine.read("setup.pwd")).toBe(`${homedir}\n`);
});

test
  .skipIf(!isRoot)
  .concurrent("takes a folder for all where the user has no entry and may not enter root's", async () => {
    await using machine = await testMachine({ isRoot: false });
    delete machine.env.HOME;
    tellsSetup(machine);
    await machine.start();
    await machine.untilGone();
    expect(machine.read("listener.env")).toMatch(/^HOME=\/tmp$/m);
    expect(machine.calls.only("job")).toEqual(["job started", "job ended"]);
  });
