import { expect, test } from "vitest";
import { runFunctions } from "./support/run-functions.ts";

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
  const said = expect.stringMatching(
    new RegExp(`^${JOB}, samples \\d+, median use 0%, peak use ${peak}%, ${OF_IDLE}\n$`),
  );
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
