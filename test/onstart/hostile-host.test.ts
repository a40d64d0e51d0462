import { createHash } from "node:crypto";
import { appendFileSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { ONSTART, WORK } from "../../src/machine/script/packed.ts";
import { takesJob, waits } from "./support/listener.ts";
import { deadlineIn, machineThatWent, SCRIPT, setupOf, type TestMachine, testMachine } from "./support/test-machine.ts";

/** Nothing can be written into a file any more, from the very first line of the script on. */
const ON_A_FULL_DISK = `trap '' XFSZ; ulimit -f 0; bash "$ONSTART_TEST/onstart.sh"`;
const PAGE = "<!DOCTYPE html><title>502 Bad Gateway</title>";

function ranJob(machine: TestMachine): boolean {
  return machine.calls.only("job").join() === "job started,job ended";
}

test.concurrent("gives the machine back when its disk is full from the first", async () => {
  await using machine = await testMachine();
  await machine.run(ON_A_FULL_DISK);
  await machine.untilGone();
  expect(machine.calls.only("listener", "job")).toEqual([]);
});

test.concurrent.each([
  ["there is no folder for temporary files", "TMPDIR", "there-is-none"],
  ["the name of its folder means something to bash", "GHR_ROOT", "a $(touch pwned) 'b' \"c\""],
])("runs the job where %s", async (_, name, path) => {
  await using machine = await machineThatWent({ env: (folder) => ({ [name]: join(folder, path) }) });
  expect(ranJob(machine)).toBe(true);
});

/** As curl fails without a name server, until there is one. */
const noDns = (real: string) => `[[ $1 == -qV || -e $ONSTART_TEST/dns ]] && exec ${real} "$@"
printf '\\n000'; exit 6`;

test.concurrent("waits for a name server that is late, and runs the job", async () => {
  await using machine = await testMachine({ commands: { curl: noDns("/usr/bin/curl") } });
  await machine.start();
  await machine.until(() => machine.read("log").includes("The service answers 000 to PUT."));
  await machine.run(': >"$ONSTART_TEST/dns"');
  await machine.untilGone();
  expect(ranJob(machine)).toBe(true);
});

test.concurrent("starts no runner without a name server, and gives the machine back as soon as there is one", async () => {
  await using machine = await testMachine({ commands: { curl: noDns("/usr/bin/curl") } });
  await machine.start();
  await machine.until(() => machine.read("log").includes("Time is up after 180 s."));
  await machine.run(': >"$ONSTART_TEST/dns"');
  await machine.untilGone();
  expect(machine.calls.only("listener")).toEqual([]);
});

test.concurrent("does not mind a clock that jumps a day at each look, once it was right", async () => {
  const jumps = `n=$(<"$ONSTART_TEST/jumps"); echo "$((n + 1))" >"$ONSTART_TEST/jumps"
[[ $1 != -d ]] || exec /usr/bin/date "$@"
exec /usr/bin/date -d "@$((EPOCHSECONDS + (n == 1 ? 0 : n % 2 ? 86400 : -86400)))" "$@"`;
  await using machine = await testMachine({ commands: { date: jumps } }, takesJob(waits(60)));
  await machine.run('echo 0 >"$ONSTART_TEST/jumps"');
  Object.assign(machine.env, deadlineIn(600));
  await machine.live();
  expect(ranJob(machine)).toBe(true);
});

const ESSENTIAL =
  "base64 chmod cp date git gzip mv readlink rm sha256sum tail tar touch tr nvidia-smi ldd ldconfig".split(" ");

test.concurrent.each(ESSENTIAL)(
  "gives the machine back on an image without %s and without a package mirror",
  async (name) => {
    await using machine = await machineThatWent({
      missing: [name],
      packages: "apt-get",
      commands: { "apt-get": "exit 100" },
    });
    // Whether a job could run without it or not: none was cut off.
    expect(machine.calls.only("job").length % 2).toBe(0);
  },
);

test.concurrent("refuses a tarball that is an HTML page", async () => {
  const page = `for ((i = 1; i < $#; i++)); do [[ \${!i} != runner.tgz ]] || { echo '${PAGE}' >runner.tgz; exit; }; done
exec /usr/bin/curl "$@"`;
  await using machine = await testMachine({ commands: { curl: page } });
  // The worst case: even its sum is right.
  machine.env.GHR_RUNNER_SHA256 = createHash("sha256").update(`${PAGE}\n`).digest("hex");
  await machine.live();
  expect(machine.calls.only("listener")).toEqual([]);
  expect(machine.read("log")).toMatch(/ghr: Line \d+ of work.sh failed\./);
});

test.concurrent.each([
  ["crashes", "kill -SEGV $BASHPID"],
  ["ends at once, and means it well", "exit 0"],
  ["is dropped by GitHub while it waits", `${waits(30)}; echo 'Runner was removed' >&2; exit 1`],
  ["asks to be started again, for ever", "exit 2"],
  ["ends with a code that nobody knows", "exit 137"],
  ["floods its log", 'for ((i = 0; i < 20000; i++)); do echo "$i ::error::x"; done; exit 1'],
])("gives the machine back when its runner %s", async (_how, listener) => {
  await using machine = await machineThatWent({}, listener);
  expect(machine.calls.only("listener")).toHaveLength(1);
});

test.concurrent("keeps its ways with variables of the user that mean something to bash", async () => {
  await using machine = await testMachine();
  Object.assign(machine.env, {
    IFS: "abc0123/:",
    CDPATH: "/:/tmp",
    GLOBIGNORE: "*",
    POSIXLY_CORRECT: "1",
    PS4: "$(: >$ONSTART_TEST/pwned)",
    LC_ALL: "tr_TR.UTF-8",
    TZ: "Nowhere/Else",
    POISON: "'; touch pwned; '\n$(touch pwned)\n`touch pwned`",
    curl: "no",
    limit: "1",
    elapsed: "99999",
    spent: "x",
    status: "404",
    answer: "\n{",
    HISTFILE: "/etc/passwd",
  });
  await machine.live();
  expect(ranJob(machine)).toBe(true);
  expect(machine.read("listener.env")).toContain("POISON='; touch pwned; '\n$(touch pwned)\n`touch pwned`\n");
  expect(readdirSync(machine.folder)).not.toContain("pwned");
});

test("has nothing that bash before 5.1 can't read where POSIXLY_CORRECT is set", () => {
  // Process substitution, but in quotes for eval.
  expect(readFileSync(SCRIPT, "utf8")).not.toMatch(/^[^'#]*[<>]\(/m);
  expect(gunzipSync(Buffer.from(WORK, "base64")).toString()).not.toMatch(/^[^'#]*[<>]\(/m);
});

test.concurrent("gives the job the variables of the user and the image as they are, ours of the same name never", async () => {
  await using machine = await testMachine();
  const given = {
    answer: "42",
    code: "x",
    configuration: "Release",
    entry: "main.py",
    failure: "is an option",
    lines: "a\nb",
    name: "mine",
    runner: "pytest",
    seconds: "7",
    starts: "1",
    status: "ok",
    work: "/data",
  };
  Object.assign(machine.env, given);
  Object.assign(machine.env, setupOf('/usr/bin/env >"$ONSTART_TEST/setup.env"'));
  await machine.live();
  expect(ranJob(machine)).toBe(true);
  for (const env of ["setup.env", "listener.env"]) {
    for (const [name, value] of Object.entries(given))
      expect(`\n${machine.read(env)}`).toContain(`\n${name}=${value}\n`);
    expect(machine.read(env)).not.toMatch(/^(functions|CONTAINER_API_KEY|GHR_\w+)=/m);
  }
  expect(machine.read("listener.env").split(String(machine.env.GHR_JIT))).toHaveLength(2);
});

test.concurrent("has its own options of bash, whatever the image exports, and traces no secret", async () => {
  await using machine = await testMachine();
  // With the variable exported, every bash below would have the options of the one above it.
  machine.env.SHELLOPTS = "xtrace";
  await machine.live();
  expect(ranJob(machine)).toBe(true);
  expect(machine.read("log")).not.toContain(machine.service.key);
  expect(machine.read("log")).not.toContain(machine.env.GHR_JIT);
  expect(machine.read("listener.env")).not.toContain("SHELLOPTS");
});

test.concurrent.each(["cd", "set -eux"])(
  "keeps its ways when the image has a start file of bash that says %s",
  async (line) => {
    await using machine = await testMachine();
    appendFileSync(join(machine.folder, "bash_env"), `[[ $0 != *bash ]] || ${line}\n`);
    await machine.live();
    expect(ranJob(machine)).toBe(true);
    expect(machine.read("log")).not.toContain(machine.service.key);
  },
);

/** Functions that an image may have for every bash by BASH_ENV, as one with nvm does: 200 KB. */
function foreignFunctions(): string {
  const own = [readFileSync(SCRIPT, "utf8"), gunzipSync(Buffer.from(WORK, "base64")).toString(), ONSTART].flatMap(
    (script) => Array.from(script.matchAll(/^(\w+)\(\) \{$/gm), ([, name]) => name),
  );
  expect(own).toEqual(expect.arrayContaining(["log", "fail", "has", "unpack", "install"]));
  const others = Array.from({ length: 400 }, (_, number) => `nvm_${number}() {\n${"echo nvm;\n".repeat(50)}}\n`);
  return `${own.map((name) => `${name}() { echo foreign; exit 97; }\n`).join("")}${others.join("")}`;
}

test.concurrent("is guarded by its own functions when the image has many for every bash, ours of the same name too", async () => {
  await using machine = await testMachine({ missing: ["git"], packages: "apt-get" });
  const foreign = foreignFunctions();
  // The kernel takes at most 131,072 bytes for one variable.
  expect(foreign.length).toBeGreaterThan(200_000);
  appendFileSync(join(machine.folder, "bash_env"), foreign);
  await machine.live();
  expect(ranJob(machine)).toBe(true);
  expect(machine.read("log")).not.toContain("foreign");
});
