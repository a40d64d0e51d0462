import { renameSync, rmSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { eachMachine } from "./support/each-machine.ts";
import { setupOf, type TestMachine } from "./support/test-machine.ts";

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
