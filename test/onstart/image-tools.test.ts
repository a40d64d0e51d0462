import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { RAN_JOB, runnerOfImage } from "./support/listener.ts";
import { deadlineIn, machineThatWent, setupOf, testMachine } from "./support/test-machine.ts";

/** As the loader ends a program that lacks a library. */
const BROKEN = "echo 'error while loading shared libraries: libnghttp2.so.14' >&2; exit 127";
const PYTHON = "/usr/bin/python3";
const python3 = `exec ${PYTHON} "$@"`;
const real = (name: string) => `exec $(PATH=/usr/bin:/bin type -P ${name}) "$@"`;

test.concurrent("takes another curl where the image's first one lacks a library", async () => {
  await using machine = await machineThatWent({ commands: { curl: BROKEN }, system: { curl: real("curl") } });
  const calls = machine.calls.only("PUT", "download", "job", "DELETE");
  // The download goes on beside the proof of the key, so either may come first.
  expect(calls.slice(0, 2).toSorted()).toEqual(['PUT {"state":"running"} → 200', "download"]);
  expect(calls.slice(2)).toEqual(["job started", "job ended", "DELETE → 200"]);
});

test.concurrent("takes other tools where the image's first ones are broken", async () => {
  const names = ["base64", "gzip", "tar"];
  const commands = Object.fromEntries(names.map((name) => [name, BROKEN]));
  const system = Object.fromEntries(names.map((name) => [name, real(name)]));
  await using machine = await machineThatWent({
    commands,
    system,
    env: { ...setupOf('echo set up >"$ONSTART_TEST/set-up"') },
  });
  expect(machine.calls.only("job")).toEqual(RAN_JOB);
  expect(machine.read("set-up")).toBe("set up\n");
});

test.concurrent("installs tar where the image's own is broken", async () => {
  const dnf = `echo "dnf $*" >>"$ONSTART_TEST/calls.log"; printf '#!/bin/bash\\n%s\\n' '${real("tar")}' >"$ONSTART_TEST/system/tar"
/usr/bin/chmod +x "$ONSTART_TEST/system/tar"`;
  await using machine = await machineThatWent({ commands: { tar: BROKEN, dnf } });
  expect(machine.calls.only("dnf", "job")).toEqual(["dnf install -y tar", "job started", "job ended"]);
});

test
  .skipIf(!existsSync(PYTHON))
  .concurrent(
    "proves its key, hears the service's time and gives itself back by Python, with the image's runner",
    async () => {
      await using machine = await machineThatWent({
        commands: { curl: BROKEN, python3 },
        tellsArguments: true,
        answers: { PUT: [{ status: 400 }] },
        env: (folder) => ({ ...runnerOfImage(folder), ...deadlineIn(3900) }),
      });
      expect(machine.calls.only("PUT", "GET", "job", "DELETE")).toEqual([
        ...['PUT {"state":"running"} → 400', "GET → 200"],
        ...["job started", "job ended", "DELETE → 200"],
      ]);
      expect(machine.read("log")).toMatch(/ ghr: The key works\. Time is up after 3\d{3} s\.\n/);
      expect(machine.read("argv.log")).not.toContain(machine.service.key);
    },
  );

test.skipIf(!existsSync(PYTHON)).concurrent("takes another Python where the first one has no https", async () => {
  const commands = { curl: BROKEN, python3: "echo \"ModuleNotFoundError: No module named '_ssl'\" >&2; exit 1" };
  await using machine = await machineThatWent({ commands, system: { python3 }, env: runnerOfImage });
  expect(machine.calls.only("job")).toEqual(RAN_JOB);
});

test.concurrent("asks another nvidia-smi where the first one is broken, for the figures, too", async () => {
  const driver = `[[ $* != *--query-gpu* ]] || { echo "figures $*" >>"$ONSTART_TEST/calls.log"; exit; }
echo 'GPU 0: NVIDIA H100 (UUID: GPU-0)'`;
  const image = { commands: { "nvidia-smi": BROKEN }, system: { "nvidia-smi": driver } };
  await using machine = await machineThatWent(image);
  expect(machine.calls.only("job")).toEqual(RAN_JOB);
  expect(machine.calls.only("figures")).toHaveLength(2);
});

test.concurrent("says at once that it has no client that works", async () => {
  await using machine = await testMachine({ commands: { curl: BROKEN, python3: BROKEN } });
  await machine.start();
  await machine.until(() => machine.read("log").includes("Giving the machine back."));
  expect(machine.read("log")).toMatch(
    / ghr: There is no curl, and user \d+ can't install it: bring it in the image\.\n\S+ ghr: Staying for 60 s\.\n/,
  );
  expect(machine.calls.lines()).toEqual([]);
});
