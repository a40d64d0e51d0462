import { expect } from "vitest";
import { eachMachine } from "./support/each-machine.ts";
import { notes } from "./support/image.ts";
import { RAN_JOB } from "./support/listener.ts";

/** A package manager that can reach no mirror. */
const fails = (name: string) => ({ [name]: `${notes(`${name} $*`)}; exit 1` });
const HAS_CURL = 'mv "$ONSTART_TEST/missing/curl" "$ONSTART_TEST/bin/"';

eachMachine({
  "installs with dnf what an image of the RHEL family lacks": {
    ...{ packages: "dnf", missing: ["curl", "git"], libicu: false },
    calls: {
      "dnf listener": [
        ...["dnf install -y curl ca-certificates", "dnf install -y git", "dnf install -y libicu"],
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
