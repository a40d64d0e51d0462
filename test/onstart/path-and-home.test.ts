import { renameSync, rmSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { RAN_JOB } from "./support/listener.ts";
import { machineThatWent, setupOf, testMachine } from "./support/test-machine.ts";

const isRoot = process.getuid?.() === 0;

/** A setup that writes down its variables. */
const TELLS = setupOf('/usr/bin/env >"$ONSTART_TEST/setup.env"; pwd >"$ONSTART_TEST/setup.pwd"');

test.concurrent("appends the system's folders to a PATH of one folder, for runner and setup", async () => {
  await using machine = await testMachine({ packages: "apt-get", missing: ["git"], env: TELLS });
  const system = join(machine.folder, "system");
  rmSync(system, { recursive: true });
  renameSync(join(machine.folder, "host"), system);
  machine.env.PATH = join(machine.folder, "bin");
  await machine.live();
  expect(machine.calls.only("job")).toEqual(RAN_JOB);
  for (const name of ["listener.env", "setup.env"])
    expect(machine.read(name)).toMatch(new RegExp(`^PATH=${machine.env.PATH}:${system}$`, "m"));
});

test.concurrent("leaves a PATH that has the system's folders, and a HOME that is a folder", async () => {
  const paths = (folder: string) => ["system", "bin", "host"].map((name) => join(folder, name)).join(":");
  await using machine = await machineThatWent({ env: (folder) => ({ ...TELLS, PATH: paths(folder) }) });
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
  await using machine = await machineThatWent({ env: { ...TELLS, HOME: home } });
  const { homedir } = userInfo();
  for (const name of ["listener.env", "setup.env"])
    expect(machine.read(name)).toMatch(new RegExp(`^HOME=${homedir}$`, "m"));
  expect(machine.read("setup.pwd")).toBe(`${homedir}\n`);
});

test
  .skipIf(!isRoot)
  .concurrent("takes a folder for all where the user has no entry and may not enter root's", async () => {
    await using machine = await machineThatWent({ isRoot: false, env: { ...TELLS, HOME: undefined } });
    expect(machine.read("listener.env")).toMatch(/^HOME=\/tmp$/m);
    expect(machine.calls.only("job")).toEqual(RAN_JOB);
  });
