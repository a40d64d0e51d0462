import { chmodSync, chownSync, existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { eachMachine } from "./support/each-machine.ts";
import { SUDO } from "./support/image.ts";
import { GIVEN_BACK } from "./support/stand-in-service.ts";
import { setupOf, type TestMachine, testMachine } from "./support/test-machine.ts";

/** As root's own folders are to others. */
function lockedFolder(folder: string): string {
  const locked = join(folder, "locked");
  mkdirSync(locked);
  if (process.getuid?.() === 0) chownSync(locked, 0, 0);
  chmodSync(locked, 0o555);
  return join(locked, "ghr");
}

eachMachine({
  "runs a job on an image whose user is not root, in a folder that this user may write to": {
    isRoot: false,
    changesBefore: ({ env, folder }) => Object.assign(env, { GHR_ROOT: lockedFolder(folder) }),
    check: ({ folder }) => expect(existsSync(join(folder, "ghr/runner"))).toBe(true),
  },
  "installs by sudo where the image's user may": {
    ...{ isRoot: false, packages: "apt-get", missing: ["curl", "git"], commands: { sudo: SUDO } },
    check: ({ calls }) => expect(calls.only("sudo").filter((line) => !line.startsWith("sudo -n apt-get "))).toEqual([]),
  },
  "loses no time with what its image's user may not install": {
    ...{ isRoot: false, packages: "apt-get", missing: ["git"], libicu: false },
    says: "There is no git.",
    check: ({ read }) => expect(read("argv.log")).not.toMatch(/^(sleep [13]0$|apt-cache )/m),
  },
});

test.concurrent("says why where it can write to no folder, and gives the machine back all the same", async () => {
  // /tmp is everybody's on this computer; on the machine that is meant it is not.
  const mkdir = '[[ $2 != /tmp/* ]] && exec /usr/bin/mkdir "$@"; exit 1';
  await using machine = await testMachine({ isRoot: false, commands: { mkdir } });
  const locked = lockedFolder(machine.folder);
  Object.assign(machine.env, { GHR_ROOT: locked, HOME: locked });
  await machine.run(`bash ${machine.script} >"$ONSTART_TEST/said" 2>&1`);
  expect(machine.read("said")).toMatch(
    / ghr: There is no folder for user \d+ to write to: use an image whose user is root\.\n\S+ ghr: Staying for 60 s\.\n$/,
  );
  await machine.untilGone();
  expect(machine.calls.only("DELETE")).toEqual([GIVEN_BACK]);
});

/** A setup that writes down its variables. */
const TELLS = setupOf('/usr/bin/env >"$ONSTART_TEST/setup.env"; pwd >"$ONSTART_TEST/setup.pwd"');

/** Both the runner and setup have this variable. */
function expectBoth(machine: TestMachine, variable: string): void {
  for (const name of ["listener.env", "setup.env"]) expect(`\n${machine.read(name)}`).toContain(`\n${variable}\n`);
}

/** The user's entry says which folder is taken. */
const withHome = (home: string | undefined) => ({
  env: { ...TELLS, HOME: home },
  check(machine: TestMachine) {
    expectBoth(machine, `HOME=${userInfo().homedir}`);
    expect(machine.read("setup.pwd")).toBe(`${userInfo().homedir}\n`);
  },
});

eachMachine({
  "appends the system's folders to a PATH of one folder, for runner and setup": {
    ...{ packages: "apt-get", missing: ["git"], env: TELLS },
    changesBefore({ env, folder }) {
      rmSync(join(folder, "system"), { recursive: true });
      renameSync(join(folder, "host"), join(folder, "system"));
      env.PATH = join(folder, "bin");
    },
    check: (machine) => expectBoth(machine, `PATH=${machine.env.PATH}:${join(machine.folder, "system")}`),
  },
  "leaves a PATH that has the system's folders, and a HOME that is a folder": {
    env: (folder) => ({ ...TELLS, PATH: ["system", "bin", "host"].map((name) => join(folder, name)).join(":") }),
    check(machine) {
      expectBoth(machine, `PATH=${machine.env.PATH}`);
      expectBoth(machine, `HOME=${machine.folder}`);
    },
  },
  "takes the folder of the user's entry where HOME is unset": withHome(undefined),
  "takes the folder of the user's entry where HOME is empty": withHome(""),
  "takes the folder of the user's entry where HOME is no folder": withHome("/nowhere/at/all"),
  ...(process.getuid?.() === 0 && {
    "takes a folder for all where the user has no entry and may not enter root's": {
      ...{ isRoot: false, env: { ...TELLS, HOME: undefined } },
      check: (machine: TestMachine) => expectBoth(machine, "HOME=/tmp"),
    },
  }),
});
