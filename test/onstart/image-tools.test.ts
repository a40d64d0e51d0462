import { expect } from "vitest";
import { eachMachine } from "./support/each-machine.ts";
import { BROKEN, notes, ofHost, PYTHON } from "./support/image.ts";
import { RAN_JOB, runnerOfImage } from "./support/listener.ts";
import { GIVEN_BACK, PROVEN } from "./support/stand-in-service.ts";
import { deadlineIn, setupOf } from "./support/test-machine.ts";

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
    calls: { job: RAN_JOB, figures: [expect.anything(), expect.anything()] },
  },
  "says at once that it has no client that works": {
    ...{ commands: broken("curl", "python3"), until: "Giving the machine back." },
    says: / ghr: There is no curl, and user \d+ can't install it: bring it in the image\.\n\S+ ghr: Staying for 60 s\.\n/,
    calls: { "PUT GET DELETE download nvidia-smi listener": [] },
  },
});
