import { chmodSync, existsSync, mkdirSync, readdirSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { RAN_JOB, RUNNER_FOLDER, runnerOfImage, takesJob } from "./support/listener.ts";
import { machineThatWent, testMachine } from "./support/test-machine.ts";

/** A job that tells from where its runner ran, and what that wrote into its folder. */
const TELLS_HOME = `call home "$0"; : >"\${0%/bin/*}/.runner"\n${takesJob()}`;

function bakedListener(folder: string, version: string): string {
  const home = join(folder, "baked");
  mkdirSync(join(home, "bin"), { recursive: true });
  const program = join(home, "bin/Runner.Listener");
  writeFileSync(program, `#!/bin/bash\n[[ $1 == --version ]] && ${version}\n`);
  chmodSync(program, 0o755);
  return home;
}

test.concurrent("uses the image's runner of the offered version, and writes nothing into it", async () => {
  await using machine = await testMachine({}, TELLS_HOME);
  const home = join(machine.folder, RUNNER_FOLDER);
  machine.env.RUNNER_HOME = home;
  mkdirSync(join(home, "externals"));
  await machine.live();
  const own = join(machine.folder, "ghr/runner");
  expect(machine.calls.only("download", "listener", "home", "job")).toEqual([
    "listener run",
    `home ${own}/bin/Runner.Listener`,
    "job started",
    "job ended",
  ]);
  expect(existsSync(join(own, ".runner"))).toBe(true);
  expect(readlinkSync(join(own, "externals"))).toBe(join(home, "externals"));
  expect(readdirSync(home).sort()).toEqual(["bin", "externals"]);
  expect(machine.read("log")).toContain(`The image has runner 2.337.0 in ${home}; GitHub offers 2.337.0.`);
});

test.concurrent("needs no tar for the image's runner, where none can be had", async () => {
  await using machine = await machineThatWent(
    { missing: ["tar"], commands: { "apt-get": "exit 100" }, env: runnerOfImage },
    TELLS_HOME,
  );
  expect(machine.calls.only("download", "job")).toEqual(RAN_JOB);
});

test.concurrent.each([
  ["is of another version", "echo 2.330.0"],
  ["does not run", "exit 134"],
  ["says more than its version", "echo 2.337.0-rc"],
])("downloads the runner when that of the image %s", async (_, version) => {
  await using machine = await testMachine();
  machine.env.RUNNER_HOME = bakedListener(machine.folder, version);
  await machine.live();
  expect(machine.calls.only("download", "job")).toEqual(["download", "job started", "job ended"]);
});

test.concurrent("downloads the runner when its address tells no version", async () => {
  await using machine = await testMachine();
  machine.env.RUNNER_HOME = join(machine.folder, RUNNER_FOLDER);
  machine.env.GHR_RUNNER_URL = `${machine.service.url}/elsewhere`;
  await machine.live();
  expect(machine.calls.only("download", "job")).toEqual(["download", "job started", "job ended"]);
});
