import { expect, test } from "vitest";
import { eachMachine } from "./support/each-machine.ts";
import { BROKEN, notes, ofHost, PYTHON, SUDO } from "./support/image.ts";
import { RAN_JOB, runnerOfImage, takesJob } from "./support/listener.ts";
import { GIVEN_BACK, PROVEN } from "./support/stand-in-service.ts";
import { deadlineIn, setupOf, testMachine } from "./support/test-machine.ts";

const python3 = ofHost("python3");
const real = (name: string) => `exec $(PATH=/usr/bin:/bin type -P ${name}) "$@"`;
const broken = (...names: string[]) => Object.fromEntries(names.map((name) => [name, BROKEN]));
const TOOLS = ["base64", "curl", "gzip", "tar"];

eachMachine({
  "takes other tools where the image's first ones lack a library": {
    ...{ commands: broken(...TOOLS), system: Object.fromEntries(TOOLS.map((name) => [name, real(name)])) },
    env: setupOf(notes("set up")),
    calls: { PUT: [PROVEN], "set download": ["download", "set up"], "job DELETE": [...RAN_JOB, GIVEN_BACK] },
  },
  "installs tar where the image's own is broken": {
    commands: {
      tar: BROKEN,
      dnf: `${notes("dnf $*")}; printf '#!/bin/bash\\n%s\\n' '${real("tar")}' >"$ONSTART_TEST/system/tar"
/usr/bin/chmod +x "$ONSTART_TEST/system/tar"`,
    },
    calls: { "dnf job": ["dnf install -y tar", ...RAN_JOB] },
  },
  "proves its key, hears the service's time and gives itself back by Python, with the image's runner": {
    ...{
      needs: PYTHON,
      commands: { curl: BROKEN, python3 },
      tellsArguments: true,
      answers: { PUT: [{ status: 400 }] },
    },
    env: (folder) => ({ ...runnerOfImage(folder), ...deadlineIn(3900) }),
    calls: { "PUT GET job DELETE": ['PUT {"state":"running"} → 400', "GET → 200", ...RAN_JOB, GIVEN_BACK] },
    says: / ghr: The key works\. Time is up after 3\d{3} s\.\n/,
    check: ({ read, service }) => expect(read("argv.log")).not.toContain(service.key),
  },
  "takes another Python where the first one has no https": {
    needs: PYTHON,
    commands: { curl: BROKEN, python3: "echo \"ModuleNotFoundError: No module named '_ssl'\" >&2; exit 1" },
    ...{ system: { python3 }, env: runnerOfImage },
  },
  "asks another nvidia-smi where the first one is broken, for the figures, too": {
    commands: broken("nvidia-smi"),
    system: {
      "nvidia-smi": `[[ $* != *--query-gpu* ]] || { ${notes("figures $*")}; exit; }
echo 'GPU 0: NVIDIA H100 (UUID: GPU-0)'`,
    },
    // The second one is asked while the job runs.
    runner: takesJob(`until [[ $(<"$ONSTART_TEST/calls.log") == *figures*figures* ]]; do sleep 1; done`),
    calls: { job: RAN_JOB, figures: [expect.anything(), expect.anything()] },
  },
  "says at once that it has no client that works": {
    ...{ commands: broken("curl", "python3"), until: "Giving the machine back." },
    says: / ghr: There is no curl, and user \d+ can't install it: bring it in the image\.\n\S+ ghr: Staying for 60 s\.\n/,
    calls: { "PUT GET DELETE download nvidia-smi listener": [] },
  },
});

/** A package manager that can reach no mirror. */
const fails = (name: string) => ({ [name]: `${notes(`${name} $*`)}; exit 1` });
const HAS_CURL = 'mv "$ONSTART_TEST/missing/curl" "$ONSTART_TEST/bin/"';

eachMachine({
  "installs with dnf what an image of the RHEL family lacks": {
    ...{ packages: "dnf", missing: ["curl", "git"], libicu: false },
    calls: {
      "dnf listener": [
        ...["curl ca-certificates", "git", "libicu"].map((names) => `dnf install -y ${names}`),
        "listener run",
      ],
    },
  },
  "does without git and libicu where they can't be had": {
    ...{ missing: ["git"], libicu: false },
    check: ({ read }) => expect(read("listener.env")).toContain("DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=1\n"),
  },
  "goes on where the package manager fails at first": {
    missing: ["curl"],
    commands: {
      "apt-get": `[[ $* == *install*curl* ]] || exit 0
[[ -e $ONSTART_TEST/failed ]] || { : >"$ONSTART_TEST/failed"; exit 100; }
${HAS_CURL}`,
    },
  },
  "goes on where the package manager has a source that is broken": {
    ...{ missing: ["curl"], commands: { "apt-get": `[[ $* == *install*curl* ]] || exit 100\n${HAS_CURL}` } },
  },
  "asks a mirror that is away for one package, as the next one would take as long": {
    ...{ missing: ["git"], libicu: false, commands: fails("apt-get") },
    check: ({ calls }) =>
      expect(calls.only("apt-get").filter((line) => line.includes(" install "))).toEqual(
        Array(3).fill(expect.stringMatching(/ git$/)),
      ),
  },
  "does not ask dnf again by its other name, yum": {
    ...{ missing: ["git"], commands: { ...fails("dnf"), ...fails("yum") } },
    calls: { job: RAN_JOB, "dnf yum": Array(3).fill("dnf install -y git") },
  },
});

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
  const said = /^ghr: The image needs gzip and base64, or python3\. Giving the machine back\.$/m;
  expect(machine.read("said")).toMatch(said);
  expect(machine.read("argv.log")).toContain("curl -q");
  expect(machine.read("said") + machine.read("argv.log")).not.toContain(machine.service.key);
});
