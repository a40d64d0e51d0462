import { createHash } from "node:crypto";
import { appendFileSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { ONSTART, WORK } from "../../src/machine/script/packed.ts";
import { eachMachine, type Life } from "./support/each-machine.ts";
import { ofHost } from "./support/image.ts";
import { takesJob, waits } from "./support/listener.ts";
import { deadlineIn, SCRIPT, setupOf, type TestMachine, testMachine } from "./support/test-machine.ts";

const PAGE = "<!DOCTYPE html><title>502 Bad Gateway</title>";

/** As curl fails without a name server, until there is one. */
const NO_DNS = { curl: `[[ $1 == -qV || -e $ONSTART_TEST/dns ]] && ${ofHost("curl")}\nprintf '\\n000'; exit 6` };
const findsDns = (machine: TestMachine) => machine.run(': >"$ONSTART_TEST/dns"');

/** The n-th look at the clock finds it right, a day ahead, a day behind, and so on. */
const JUMPS = `n=$(<"$ONSTART_TEST/jumps"); echo "$((n + 1))" >"$ONSTART_TEST/jumps"
[[ $1 != -d ]] || ${ofHost("date")}
exec /usr/bin/date -d "@$((EPOCHSECONDS + (n == 1 ? 0 : n % 2 ? 86400 : -86400)))" "$@"`;

/** Its first runner does this, and no second one starts. */
const endsWith = (runner: string): Life => ({ runner, calls: { listener: ["listener run"] } });

/** Variables of the user that mean something to bash. */
const OF_BASH = {
  IFS: "abc0123/:",
  CDPATH: "/:/tmp",
  GLOBIGNORE: "*",
  POSIXLY_CORRECT: "1",
  PS4: "$(: >$ONSTART_TEST/pwned)",
  LC_ALL: "tr_TR.UTF-8",
  TZ: "Nowhere/Else",
  POISON: "'; touch pwned; '\n$(touch pwned)\n`touch pwned`",
  HISTFILE: "/etc/passwd",
};
/** Those that have the names of ours. */
const OF_OURS = Object.fromEntries([
  ..."elapsed limit seconds spent starts status".split(" ").map((name) => [name, "99999"]),
  ..."answer code configuration curl entry failure lines name runner work".split(" ").map((name) => [name, "no\n{"]),
]);

/** Each bash of the image reads these lines first. */
const withStartFile =
  (lines: string) =>
  ({ folder }: TestMachine) =>
    appendFileSync(join(folder, "bash_env"), lines);
const keepsItsWays = (line: string): Life => ({
  changesBefore: withStartFile(`[[ $0 != *bash ]] || ${line}\n`),
  check: ({ read, service }) => expect(read("log")).not.toContain(service.key),
});

/** Functions that an image may have for every bash by BASH_ENV, as one with nvm does: 200 KB. */
function foreignFunctions(): string {
  const own = [readFileSync(SCRIPT, "utf8"), gunzipSync(Buffer.from(WORK, "base64")).toString(), ONSTART].flatMap(
    (script) => Array.from(script.matchAll(/^(\w+)\(\) \{$/gm), ([, name]) => name),
  );
  expect(own).toEqual(expect.arrayContaining(["log", "fail", "has", "unpack", "install"]));
  const others = Array.from({ length: 400 }, (_, number) => `nvm_${number}() {\n${"echo nvm;\n".repeat(50)}}\n`);
  const foreign = `${own.map((name) => `${name}() { echo foreign; exit 97; }\n`).join("")}${others.join("")}`;
  // The kernel takes at most 131,072 bytes for one variable.
  expect(foreign.length).toBeGreaterThan(200_000);
  return foreign;
}

eachMachine({
  "runs the job where there is no folder for temporary files": {
    env: (folder) => ({ TMPDIR: join(folder, "there-is-none") }),
  },
  "runs the job where the name of its folder means something to bash": {
    env: (folder) => ({ GHR_ROOT: join(folder, "a $(touch pwned) 'b' \"c\"") }),
  },
  "waits for a name server that is late, and runs the job": {
    ...{ commands: NO_DNS, until: "The service answers 000 to PUT.", afterwards: findsDns },
  },
  "starts no runner without a name server, and gives the machine back as soon as there is one": {
    ...{ commands: NO_DNS, until: "Time is up after 180 s.", afterwards: findsDns },
    calls: { listener: [] },
  },
  "does not mind a clock that jumps a day at each look, once it was right": {
    ...{ commands: { date: JUMPS }, files: { jumps: "0\n" }, env: deadlineIn(600), runner: takesJob(waits(60)) },
  },
  "refuses a tarball that is an HTML page": {
    commands: {
      curl: `for ((i = 1; i < $#; i++)); do [[ \${!i} != runner.tgz ]] || { echo '${PAGE}' >runner.tgz; exit; }; done
${ofHost("curl")}`,
    },
    // The worst case: even its sum is right.
    env: { GHR_RUNNER_SHA256: createHash("sha256").update(`${PAGE}\n`).digest("hex") },
    calls: { listener: [] },
    says: /ghr: Line \d+ of work.sh failed\./,
  },
  "gives the machine back when its runner crashes": endsWith("kill -SEGV $BASHPID"),
  "gives the machine back when its runner ends at once, and means it well": endsWith("exit 0"),
  "gives the machine back when its runner floods its log": endsWith(
    'for ((i = 0; i < 20000; i++)); do echo "$i ::error::x"; done; exit 1',
  ),
  "keeps its ways with variables of the user that mean something to bash": {
    env: { ...OF_BASH, ...OF_OURS },
    check({ folder, read }) {
      expect(read("listener.env")).toContain(`POISON=${OF_BASH.POISON}\n`);
      expect(readdirSync(folder)).not.toContain("pwned");
    },
  },
  "gives the job the variables of the user and the image as they are, ours of the same name never": {
    env: { ...OF_OURS, ...setupOf('/usr/bin/env >"$ONSTART_TEST/setup.env"') },
    check({ env, read }) {
      for (const seen of [read("setup.env"), read("listener.env")]) {
        for (const [name, value] of Object.entries(OF_OURS)) expect(`\n${seen}`).toContain(`\n${name}=${value}\n`);
        expect(seen).not.toMatch(/^(functions|CONTAINER_API_KEY|GHR_\w+)=/m);
      }
      expect(read("listener.env").split(String(env.GHR_JIT))).toHaveLength(2);
    },
  },
  "has its own options of bash, whatever the image exports, and traces no secret": {
    // With the variable exported, every bash below would have the options of the one above it.
    env: { SHELLOPTS: "xtrace" },
    check({ env, read, service }) {
      expect(read("log")).not.toContain(service.key);
      expect(read("log")).not.toContain(env.GHR_JIT);
      expect(read("listener.env")).not.toContain("SHELLOPTS");
    },
  },
  "keeps its ways when the image has a start file of bash that says cd": keepsItsWays("cd"),
  "keeps its ways when the image has a start file of bash that says set -eux": keepsItsWays("set -eux"),
  "is guarded by its own functions when the image has many for every bash, ours of the same name too": {
    ...{ missing: ["git"], packages: "apt-get" },
    changesBefore: withStartFile(foreignFunctions()),
    neverSays: "foreign",
  },
});

const ESSENTIAL =
  "base64 chmod cp date git gzip mv readlink rm sha256sum tail tar touch tr nvidia-smi ldd ldconfig".split(" ");

eachMachine(
  Object.fromEntries(
    ESSENTIAL.map((name) => [
      `gives the machine back on an image without ${name} and without a package mirror`,
      {
        ...{ missing: [name], packages: "apt-get", commands: { "apt-get": "exit 100" } },
        calls: {},
        mayCutStart: true as const,
        // Whether a job could run without it or not: none was cut off.
        check: ({ calls }) => expect(calls.only("job").length % 2).toBe(0),
      },
    ]),
  ),
);

test.concurrent("gives the machine back when its disk is full from the first", async () => {
  await using machine = await testMachine();
  // Nothing can be written into a file any more, from the very first line of the script on.
  await machine.run(`trap '' XFSZ; ulimit -f 0; bash "$ONSTART_TEST/onstart.sh"`);
  await machine.untilGone();
  expect(machine.calls.only("listener", "job")).toEqual([]);
});

test("has nothing that bash before 5.1 can't read where POSIXLY_CORRECT is set", () => {
  // Process substitution, but in quotes for eval.
  expect(readFileSync(SCRIPT, "utf8")).not.toMatch(/^[^'#]*[<>]\(/m);
  expect(gunzipSync(Buffer.from(WORK, "base64")).toString()).not.toMatch(/^[^'#]*[<>]\(/m);
});
