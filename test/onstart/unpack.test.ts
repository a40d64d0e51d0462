import { expect, test } from "vitest";
import { eachMachine } from "./support/each-machine.ts";
import { notes, ofHost, PYTHON, SUDO } from "./support/image.ts";
import { RAN_JOB } from "./support/listener.ts";
import { GIVEN_BACK, PROVEN } from "./support/stand-in-service.ts";
import { setupOf, testMachine } from "./support/test-machine.ts";

eachMachine({
  "has gzip installed where the image lacks it, before there is a guard": {
    ...{ packages: "dnf", missing: ["gzip"] },
    calls: { "dnf PUT job DELETE": ["dnf install -y gzip", PROVEN, ...RAN_JOB, GIVEN_BACK] },
  },
  "has gzip installed by sudo where the image's user is not root": {
    ...{ isRoot: false, packages: "dnf", missing: ["gzip"], commands: { sudo: SUDO } },
    calls: { sudo: ["sudo -n timeout 100 dnf install -y gzip"], job: RAN_JOB },
  },
  "unpacks by Python where that is there, and installs gzip beside the rest": {
    ...{ needs: PYTHON, packages: "dnf", missing: ["gzip", "base64"], commands: { python3: ofHost("python3") } },
    env: { ...setupOf(notes("√ set up")), LC_ALL: "C" },
    calls: { "PUT dnf √ job": ["dnf install -y gzip", PROVEN, "√ set up", ...RAN_JOB] },
  },
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
  // What its onstart says is the service's log.
  const started = machine.run(`bash ${machine.script} >"$ONSTART_TEST/said" 2>&1`);
  await machine.untilGone();
  await started;
  expect(machine.calls.only("DELETE")).toEqual(["DELETE → 502", GIVEN_BACK]);
  expect(machine.read("said")).toMatch(
    /^ghr: The image needs gzip and base64, or python3\. Giving the machine back\.$/m,
  );
  expect(machine.read("argv.log")).toContain("curl -q");
  expect(machine.read("said") + machine.read("argv.log")).not.toContain(machine.service.key);
});
