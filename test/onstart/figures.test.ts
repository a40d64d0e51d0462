import { expect, test } from "vitest";
import { takesJob, waits } from "./support/listener.ts";
import { machineThatWent, type TestMachine, testMachine } from "./support/test-machine.ts";

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
  for (const [name, query] of [
    ["clocks_event_reasons", ",power.draw,clocks_event_reasons.active"],
    ["no_name", ",power.draw"],
  ] as const) {
    await using machine = await machineThatWent({ commands: { "nvidia-smi": knows(name) } }, takesJob(UNTIL(2)));
    expect(machine.calls.only("asked").at(-1)).toContain(`${query} --format=csv,noheader,nounits -l 5`);
    expect(told(machine)).toMatchObject([{ "peak use": "5", "peak memory": "1", "peak power": "4" }]);
  }
});

test.concurrent("is silent, and asks no driver, where it is switched off", async () => {
  await using machine = await machineThatWent({ env: { GHR_FIGURES: undefined } }, takesJob(waits(20)));
  expect(told(machine)).toEqual([]);
  expect(machine.calls.only("figures")).toEqual([]);
  expect(machine.read("listener.env")).not.toContain("ACTIONS_RUNNER_HOOK_JOB_COMPLETED");
});

test.concurrent("never fails a job that ended the driver's process", async () => {
  // Its own: other machines of this computer have one, too.
  const ends = `for process in /proc/[0-9]*; do
  mapfile -d '' words <$process/cmdline && mapfile -d '' given <$process/environ || continue
  if [[ \${words[*]} == *query-gpu* && \${given[*]} == *"$ONSTART_TEST"* ]]; then
    kill -KILL "\${process##*/}" && call driver ended
  fi
done 2>/dev/null`;
  await using machine = await machineThatWent({}, takesJob(ends));
  expect(machine.calls.only("job", "driver", "hook")).toEqual(["job started", "driver ended", "job ended"]);
  expect(told(machine)).toHaveLength(1);
  expect(machine.read("log")).not.toContain("Killed");
});

test.concurrent("leaves no process of the driver's, and nothing about a refused job", async () => {
  await using machine = await testMachine({}, takesJob(":", "GITHUB_REPOSITORY=owner/other"));
  machine.service.answer = (method) => (method === "DELETE" ? { status: 503 } : undefined);
  await machine.start();
  await machine.until(() => machine.calls.only("DELETE").length > 0);
  expect(machine.running()).not.toContain("query-gpu");
  expect(told(machine)).toEqual([]);
});
