import { expect, test } from "vitest";
import { eachMachine } from "./support/each-machine.ts";
import { FOREIGN_JOB, RAN_JOB, takesJob, waits } from "./support/listener.ts";
import { runFunctions } from "./support/run-functions.ts";
import { machineThatWent, type TestMachine } from "./support/test-machine.ts";

/** The sentences of all jobs, their figures by name; each name once. */
function told(machine: TestMachine): Record<string, string>[] {
  const lines = [...machine.read("log").matchAll(/^The GPUs of instance (\d+) during this job: (.*)\.$/gm)];
  return lines.map(([, instance = "", figures = ""]) => {
    const parts = figures.split(", ");
    const byName = Object.fromEntries(parts.map((part) => /^([a-z ]+) (\d+)/.exec(part)?.slice(1) ?? [part, ""]));
    expect(Object.keys(byName)).toHaveLength(parts.length);
    return { instance, ...byName };
  });
}

/** Until it has seen so many lines. */
const UNTIL = (lines: number) => `while mapfile -t seen <figures; ((\${#seen[@]} < ${lines})); do sleep 5; done`;

test.concurrent("has a line for each job, of its own time, from one process of the driver's for all", async () => {
  const first = "80, 9000, 24564, 70, 300.00, 0x0000000000000000";
  const second = "0, 1, 24564, 35, 20.10, 0x0000000000000001";
  const figures = `if [[ -e $ONSTART_TEST/second ]]; then echo '${second}'; else echo '${first}'; fi`;
  // The first job ends when the driver says no more what is the first's alone.
  const job = `${UNTIL(3)}; : >"$ONSTART_TEST/second"; until [[ $(<figures) == *'${second}'* ]]; do sleep 5; done`;
  await using machine = await machineThatWent({ figures, env: { GHR_JIT_2: "two" } }, takesJob(job));
  expect(told(machine)).toMatchObject([
    { instance: "7", "peak use": "80", "median use": "80", "peak power": "300", work: expect.stringMatching(/^\d+$/) },
    { instance: "7", "peak use": "0", setup: expect.stringMatching(/^\d+$/), idle: expect.stringMatching(/^\d+$/) },
  ]);
  expect(machine.calls.only("figures").filter((call) => call.endsWith(" -l 5"))).toHaveLength(1);
});

test.concurrent("asks a driver that knows the reasons by their new name, or by none, for what it knows", async () => {
  const knows = (name: string) => `if [[ $* == *--query-gpu* && $* == *_reasons* && $* != *${name}* ]]; then
  echo 'Field "x" is not a valid field to query.'; exit 2
fi
[[ $* == *--query-gpu* ]] && echo "asked $*" >>"$ONSTART_TEST/calls.log"
[[ $* == *' -l '* ]] && while true; do echo '5, 1, 2, 3, 4'; sleep 5; done
echo 'GPU 0: NVIDIA GeForce RTX 4090 (UUID: GPU-0)'`;
  const queries = { clocks_event_reasons: ",power.draw,clocks_event_reasons.active", no_name: ",power.draw" };
  for (const [name, query] of Object.entries(queries)) {
    await using machine = await machineThatWent({ commands: { "nvidia-smi": knows(name) } }, takesJob(UNTIL(2)));
    expect(machine.calls.only("asked").at(-1)).toContain(`${query} --format=csv,noheader,nounits -l 5`);
    expect(told(machine)).toMatchObject([{ "peak use": "5", "peak memory": "1", "peak power": "4" }]);
  }
});

// Its own: other machines of this computer have one, too.
const ENDS_DRIVER = `for process in /proc/[0-9]*; do
  mapfile -d '' words <$process/cmdline && mapfile -d '' given <$process/environ || continue
  if [[ \${words[*]} == *query-gpu* && \${given[*]} == *"$ONSTART_TEST"* ]]; then
    kill -KILL "\${process##*/}" && call driver ended
  fi
done 2>/dev/null`;

eachMachine({
  "is silent, and asks no driver, where it is switched off": {
    ...{ env: { GHR_FIGURES: undefined }, runner: takesJob(waits(20)) },
    calls: { job: RAN_JOB, figures: [] },
    check(machine) {
      expect(told(machine)).toEqual([]);
      expect(machine.read("listener.env")).not.toContain("ACTIONS_RUNNER_HOOK_JOB_COMPLETED");
    },
  },
  "never fails a job that ended the driver's process": {
    runner: takesJob(`${UNTIL(1)}; ${ENDS_DRIVER}`),
    calls: { "job driver hook": ["job started", "driver ended", "job ended"] },
    neverSays: "Killed",
    check: (machine) => expect(told(machine)).toHaveLength(1),
  },
  "leaves no process of the driver's, and nothing about a refused job": {
    ...{ runner: takesJob(":", FOREIGN_JOB), answers: { DELETE: Array(99).fill({ status: 503 }) } },
    ...{ until: "DELETE → 503", calls: { job: ["job refused"] } },
    check(machine) {
      expect(machine.running()).not.toContain("query-gpu");
      expect(told(machine)).toEqual([]);
    },
  },
});

/** The files of a job that began a minute ago, 40 s after its runner. */
const FILES = `began=$((EPOCHSECONDS - 60)); printf %s "$began" >accepted; echo "$((began - 40))" >listening`;

/** Runs the job-completed hook alone, as the runner does, where these lines of bash ran during the job. */
function runHook(during: string, ...figures: string[]) {
  // Unset, it is a variable like any other, and does not go on with the clock.
  const { status, said, files } = runFunctions(
    `unset SECONDS; SECONDS=41; write_completed_hook; ${FILES}; printf '%s\\n' "$@" >figures; ${during}
exec bash --noprofile --norc -e -o pipefail job-completed.sh`,
    ...figures,
  );
  // How long a busy computer takes for the hook itself is not the job's time.
  return { status, said: said.replace(/ work 6\d s/, " work 60 s"), isPwned: files.includes("pwned") };
}

const JOB = "The GPUs of instance 7 during this job: setup 41 s, idle 40 s, work 60 s";
const IDLE = "0, 1, 24564, 35, 20.10, 0x0000000000000001";
const OF_IDLE = "peak memory 1 MiB, memory 24564 MiB, peak temperature 35 °C, peak power 20 W, throttled 0%.";

test("tells nothing of a GPU whose driver reports nothing, and no zero", () => {
  const nothing = "[N/A], [Not Supported], [Unknown Error], N/A, [GPU requires reset], [N/A]";
  expect(runHook("", nothing, nothing)).toEqual({ status: 0, said: `${JOB}, samples 2.\n`, isPwned: false });
});

test("tells the median use, the peaks, and how often heat or a lack of power slowed a GPU down", () => {
  const looks = [
    ...["31, 7000, 24564, 60, 310.55, 0x0000000000000004", "90, 7372, 24564, 71, 200.00, 0x0000000000000000"],
    ...["12, 7372, 24564, 65, 100.00, 0x0000000000000040", "30, 100, 24564, 50, 90.00, 0x0000000000000021"],
  ];
  const said = `${JOB}, samples 4, median use 30%, peak use 90%, peak memory 7372 MiB, memory 24564 MiB, peak temperature 71 °C, peak power 310 W, throttled 50%.\n`;
  expect(runHook("", ...looks).said).toBe(said);
});

test("takes numbers that begin with a zero for decimal ones", () => {
  const said = `${JOB}, samples 1, median use 9%, peak use 9%, peak memory 10 MiB, memory 24 MiB, peak temperature 8 °C.\n`;
  expect(runHook("", "09, 010, 024, 08, , ").said).toBe(said);
});

test.each([
  ["beyond what can be", "101, 30000, 24564, 999, 99999, 0x100000000000000e8"],
  ["below zero", "-1, -5, 24564, -3, -0.5, -0x40"],
  ["no numbers", "NaN, inf, 1e9, 0x20, 08x, 64"],
  ["lines of bash", "$(touch pwned), a[$(touch pwned)], `touch pwned`, use, power, 0x$(touch pwned)"],
  ["workflow commands", "::error::x, ::set-env name=A::b, ::add-mask::e, ::stop-commands::x, ::group::, ::warning::"],
  ["far too long", "9".repeat(5000)],
  ["too few, but for those that are there", "50", 50],
])("takes figures that are %s for no figures", (_, line, peak = 0) => {
  const words = `^${JOB}, samples \\d+, median use 0%, peak use ${peak}%, ${OF_IDLE}\n$`;
  const said = expect.stringMatching(new RegExp(words));
  expect(runHook("", line, IDLE)).toEqual({ status: 0, said, isPwned: false });
});

test.each([
  ["removed the figures", "rm figures", `${JOB}, samples 0.\n`],
  ["put a folder in their place", "rm figures; mkdir figures", `${JOB}, samples 0.\n`],
  ["put a pipe in their place", "rm figures; mkfifo figures", `${JOB}, samples 0.\n`],
  ["removed all of our files but the hook", "rm figures accepted listening", ""],
  ["set the clock back", ": >figures; echo 9999999999 >accepted", expect.not.stringContaining("work=")],
  ["wrote nonsense", "echo 'x[$(touch pwned)] y' >accepted; echo 'a b' >listening", ""],
])("never fails a job that %s", (_, during, said) => {
  expect(runHook(during, IDLE)).toEqual({ status: 0, said, isPwned: false });
});
