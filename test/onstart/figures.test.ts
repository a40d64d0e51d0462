import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { takesJob, waits } from "./support/listener.ts";
import { type TestMachine, testMachine } from "./support/test-machine.ts";

/** The lines of all jobs, their words by name; each word once. */
function told(machine: TestMachine): Record<string, string>[] {
  const lines = machine.read("log").match(/^ghr-figures: .*$/gm) ?? [];
  return lines.map((line) => {
    const words = line.slice("ghr-figures: ".length).split(" ");
    const byName = Object.fromEntries(words.map((word) => word.split("=")));
    expect(Object.keys(byName)).toHaveLength(words.length);
    return byName;
  });
}

/** Each look of the driver gives the next of these, and the last one again and again. */
function says(...looks: string[][]): string {
  const cases = looks.map((lines, look) => {
    const prints = [":", ...lines.map((line) => `echo '${line}'`)].join("; ");
    return `${look + 1 < looks.length ? look + 1 : "*"}) ${prints} ;;`;
  });
  // Nothing is said before the job: what was before is not its doing.
  return `if [[ -e $ONSTART_TEST/ghr/accepted ]]; then case $((look += 1)) in ${cases.join(" ")} esac; fi`;
}

const IDLE = "0, 1, 24564, 35, 20.10, 0x0000000000000001";
/** It has seen so many lines. */
const UNTIL = (lines: number) => `while mapfile -t seen <figures; ((\${#seen[@]} < ${lines})); do sleep 1; done`;

test.concurrent("tells in the job's log what the GPUs did meanwhile", async () => {
  const figures = says(
    ["31, 7000, 24564, 60, 310.55, 0x0000000000000004", "90, 7372, 24564, 71, 200.00, 0x0000000000000000"],
    ["12, 7372, 24564, 65, 100.00, 0x0000000000000040", "30, 100, 24564, 50, 90.00, 0x0000000000000021"],
    [],
  );
  await using machine = await testMachine({ figures }, takesJob(UNTIL(4)));
  await machine.start();
  await machine.untilGone();
  const [line] = told(machine);
  expect(line).toMatchObject({
    ...{ v: "1", instance: "7", samples: "4", "use-median": "30", "use-peak": "90" },
    ...{
      "memory-peak": "7372",
      "memory-total": "24564",
      "temperature-peak": "71",
      "power-peak": "310",
      throttled: "50",
    },
  });
  for (const name of ["setup", "idle", "work"]) expect(line?.[name]).toMatch(/^\d+$/);
  expect(Object.keys(line ?? {})).toHaveLength(13);
});

test.concurrent("tells nothing of a GPU whose driver reports nothing, and no zero", async () => {
  const figures = says(["[N/A], [Not Supported], [Unknown Error], N/A, [GPU requires reset], [N/A]"]);
  await using machine = await testMachine({ figures }, takesJob(UNTIL(2)));
  await machine.start();
  await machine.untilGone();
  const [{ samples, ...line } = {}] = told(machine);
  expect(Number(samples)).toBeGreaterThanOrEqual(2);
  expect(Object.keys(line)).toEqual(["v", "instance", "setup", "idle", "work"]);
});

test.concurrent.each([
  ["beyond what can be", "101, 30000, 24564, 999, 99999, 0x10000000000000000"],
  ["below zero", "-1, -5, 24564, -3, -0.5, -0x40"],
  ["no numbers", "NaN, inf, 1e9, 0x20, 08x, 64"],
  ["lines of bash", "$(touch pwned), a[$(touch pwned)], `touch pwned`, use, power, 0x$(touch pwned)"],
  ["workflow commands", "::error::x, ::set-env name=A::b, ::add-mask::e, ::stop-commands::x, ::group::, ::warning::"],
  ["too few", "50"],
  ["far too long", "9".repeat(5000)],
])("takes figures that are %s for no figures", async (_, line) => {
  // Each look has a good line, too: the first may come before the job's own time begins.
  await using machine = await testMachine({ figures: says([line, IDLE]) }, takesJob(UNTIL(4)));
  await machine.start();
  await machine.untilGone();
  const [words] = told(machine);
  expect(words).toMatchObject({
    "memory-peak": "1",
    "memory-total": "24564",
    "temperature-peak": "35",
    "power-peak": "20",
    throttled: "0",
  });
  expect(["0", "50"]).toContain(words?.["use-peak"]);
  expect(machine.read("log")).not.toMatch(/^::/m);
  expect(existsSync(join(machine.folder, "ghr/pwned"))).toBe(false);
  expect(machine.calls.only("hook")).toEqual([]);
});

test.concurrent("has a line for each job, of its own time, from one process of the driver's for all", async () => {
  const first = "80, 9000, 24564, 70, 300.00, 0x0000000000000000";
  const figures = `if [[ -e $ONSTART_TEST/second ]]; then echo '${IDLE}'; else echo '${first}'; fi`;
  const job = `${UNTIL(3)}; : >"$ONSTART_TEST/second"; sleep 12`;
  await using machine = await testMachine({ figures }, `[[ ! -e $ONSTART_TEST/second ]] || sleep 12\n${takesJob(job)}`);
  machine.env.GHR_JIT_2 = "two";
  await machine.start();
  await machine.untilGone();
  expect(told(machine).map((line) => line["use-peak"])).toEqual(["80", "0"]);
  expect(machine.calls.only("figures").filter((call) => call.endsWith(" -l 5"))).toHaveLength(1);
});

test.concurrent("asks a driver that knows the reasons by their new name, or by none, for what it knows", async () => {
  const knows = (name: string) => `if [[ $* == *--query-gpu* && $* == *_reasons* && $* != *${name}* ]]; then
  echo 'Field "x" is not a valid field to query.'; exit 2
fi
[[ $* == *--query-gpu* ]] && echo "asked $*" >>"$ONSTART_TEST/calls.log"
[[ $* == *' -l '* ]] && while true; do echo '5, 1, 2, 3, 4'; sleep 5; done
echo 'GPU 0: NVIDIA GeForce RTX 4090 (UUID: GPU-0)'`;
  for (const [name, query] of [
    ["clocks_event_reasons", ",power.draw,clocks_event_reasons.active"],
    ["no_name", ",power.draw"],
  ] as const) {
    await using machine = await testMachine({ commands: { "nvidia-smi": knows(name) } }, takesJob(UNTIL(2)));
    await machine.start();
    await machine.untilGone();
    expect(machine.calls.only("asked").at(-1)).toContain(`${query} --format=csv,noheader,nounits -l 5`);
    expect(told(machine)).toMatchObject([{ "use-peak": "5", "memory-peak": "1", "power-peak": "4" }]);
  }
});

test.concurrent("is silent, and asks no driver, where it is switched off", async () => {
  await using machine = await testMachine({}, takesJob(waits(20)));
  delete machine.env.GHR_FIGURES;
  await machine.start();
  await machine.untilGone();
  expect(told(machine)).toEqual([]);
  expect(machine.calls.only("figures")).toEqual([]);
  expect(machine.read("listener.env")).not.toContain("ACTIONS_RUNNER_HOOK_JOB_COMPLETED");
});

test.concurrent.each([
  ["removed the figures", "rm figures"],
  ["put a folder in their place", "rm figures; mkdir figures"],
  ["put a pipe in their place", "rm figures; /usr/bin/mkfifo figures"],
  ["removed all of our files but the hook", "rm figures accepted listening"],
  [
    "ended the process",
    `for file in /proc/[0-9]*/cmdline; do
  [[ $(tr '\\0' ' ' <$file) != *query-gpu* ]] || kill -KILL "\${file//[!0-9]}"
done`,
  ],
  ["set the clock back", "echo 9999999999 >accepted"],
  ["wrote nonsense", "echo 'x[$(touch pwned)] y' >accepted; echo 'a b' >listening"],
])("never fails a job that %s", async (_, does) => {
  await using machine = await testMachine({}, takesJob(does));
  await machine.start();
  await machine.untilGone();
  expect(machine.calls.only("job", "hook")).toEqual(["job started", "job ended"]);
  expect(existsSync(join(machine.folder, "ghr/pwned"))).toBe(false);
});

test.concurrent("leaves no process of the driver's, and nothing about a refused job", async () => {
  await using machine = await testMachine({}, takesJob(":", "GITHUB_REPOSITORY=owner/other"));
  machine.service.answer = (method) => (method === "DELETE" ? { status: 503 } : undefined);
  await machine.start();
  await machine.until(() => machine.calls.only("DELETE").length > 0);
  expect(machine.running()).not.toContain("query-gpu");
  expect(told(machine)).toEqual([]);
});
