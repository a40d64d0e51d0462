import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { RAN_JOB } from "./support/listener.ts";
import { machineThatWent, setupOf, type TestMachine, testMachine } from "./support/test-machine.ts";

const PYTHON = "/usr/bin/python3";
const python3 = `exec ${PYTHON} "$@"`;
const sudo = 'echo "sudo $*" >>"$ONSTART_TEST/calls.log"; shift; exec "$@"';

/** Starts the machine and keeps what its onstart says, which is the service's log. */
async function startAndListen(machine: TestMachine): Promise<void> {
  await machine.run(`bash ${machine.script} >"$ONSTART_TEST/said" 2>&1`);
}

test.concurrent("has gzip installed where the image lacks it, before there is a guard", async () => {
  await using machine = await machineThatWent({ packages: "dnf", missing: ["gzip"] });
  expect(machine.calls.lines()[0]).toBe("dnf install -y gzip");
  expect(machine.calls.only("job", "DELETE")).toEqual(["job started", "job ended", "DELETE → 200"]);
});

test.concurrent("has gzip installed by sudo where the image's user is not root", async () => {
  const image = { isRoot: false, packages: "dnf", missing: ["gzip"], commands: { sudo } } as const;
  await using machine = await machineThatWent({ ...image, missing: [...image.missing] });
  expect(machine.calls.only("sudo")).toContain("sudo -n timeout 100 dnf install -y gzip");
  expect(machine.calls.only("job")).toEqual(RAN_JOB);
});

test
  .skipIf(!existsSync(PYTHON))
  .concurrent("unpacks by Python where that is there, and installs gzip beside the rest", async () => {
    await using machine = await machineThatWent({
      packages: "dnf",
      missing: ["gzip", "base64"],
      commands: { python3 },
      env: { ...setupOf("echo '√ set up' >\"$ONSTART_TEST/set-up\""), LC_ALL: "C" },
    });
    expect(machine.calls.only("PUT", "dnf", "job")).toEqual([
      "dnf install -y gzip",
      'PUT {"state":"running"} → 200',
      "job started",
      "job ended",
    ]);
    expect(machine.read("set-up")).toBe("√ set up\n");
  });

test.concurrent.each([
  ["gzip", {}],
  ["base64", { packages: "dnf" }],
] as const)("says that %s can't be had, and gives the machine back", async (name, image) => {
  await using machine = await testMachine({
    ...image,
    missing: [name],
    tellsArguments: true,
    answers: { DELETE: [{ status: 502 }] },
    // Every bash of the image would show what it does.
    env: { SHELLOPTS: "xtrace" },
  });
  const started = startAndListen(machine);
  await machine.untilGone();
  await started;
  expect(machine.calls.only("DELETE")).toEqual(["DELETE → 502", "DELETE → 200"]);
  expect(machine.read("said")).toMatch(
    /^ghr: The image needs gzip and base64, or python3\. Giving the machine back\.$/m,
  );
  expect(machine.read("argv.log")).toContain("curl -q");
  expect(machine.read("said") + machine.read("argv.log")).not.toContain(machine.service.key);
});
