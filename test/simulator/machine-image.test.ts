import { mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scaledClock } from "../../simulator/clock/sim-clock.ts";
import { localMachines } from "../../simulator/machine/local-machines.ts";
import type { MachineBehaviour } from "../../simulator/scenario/simulate.ts";

const clock = scaledClock(50);
const END = "--- end of onstart";

/** Boots a machine with this onstart; at its end, gives its output and its folder. */
async function boot(onstart: string, behaviour: MachineBehaviour = {}, env: Record<string, string> = {}) {
  using root = mkdtempDisposableSync(join(tmpdir(), "machine-test-"));
  await using machines = localMachines({ root: root.path, clock });
  const start = { image: "debian:12", onstart: `${onstart}\necho '${END}'\n`, env, behaviour };
  machines.start({ ...start, instanceId: 1 });
  await expect.poll(() => machines.output(1), { timeout: 150_000 }).toContain(END);
  // Another machine of the same computer has what this one may have spoilt.
  machines.start({ ...start, instanceId: 2, behaviour: {}, onstart: "git --version" });
  await expect.poll(() => machines.output(2), { timeout: 150_000 }).toMatch(/^git version /);
  return { lines: machines.output(1).split("\n").slice(0, -2), folder: machines.root(1) };
}

test("keeps to itself what it does to its commands", async () => {
  await boot("rm $PATH/git; echo 'echo mine' >$PATH/git");
});

test("runs the onstart as the file root/onstart.sh, as root in the eyes of the machine", async () => {
  const { lines, folder } = await boot('echo "$0"; pwd; id -u; id -un; whoami; mktemp; cat "$0" | head -1');
  expect(lines[0]).toBe(`${folder}/root/onstart.sh`);
  expect(lines.slice(1, 5)).toEqual([`${folder}/root`, "0", "root", "root"]);
  expect(lines[5]).toContain(`${folder}/tmp/`);
  expect(lines[6]).toContain('echo "$0"');
});

test("lets bash's own waiting and clock follow the simulated one", async () => {
  const before = Math.floor(clock.now() / 1000);
  const { lines } = await boot(`exec 3<> <(:); word=kept REPLY=kept
    start=$(date +%s%N); IFS=: read -r -t 60 -n 1 -u 3 word; echo $?; end=$(date +%s%N); echo $(( (end - start) / 1000000 ))
    echo 'a  b' >&3; read -r -t 60 -u 3 word; echo "$? $word $REPLY"
    bash -c "printf '%(%s)T %s\\n' -1 'and more'"`);
  expect(lines[0]).toBe("142");
  expect(Number(lines[1])).toBeGreaterThanOrEqual(60_000);
  expect(Number(lines[1])).toBeLessThan(600_000);
  expect(lines[2]).toBe("0 a  b kept");
  expect(lines[3]).toMatch(/^\d+ and more$/);
  expect(Number.parseInt(lines[3] ?? "", 10)).toBeGreaterThanOrEqual(before + 60);
  expect(Number.parseInt(lines[3] ?? "", 10)).toBeLessThanOrEqual(Math.ceil(clock.now() / 1000));
});

test("has a clock of its own that may be wrong and can't be set; date leaves a given time unchanged", async () => {
  const week = 7 * 86_400;
  const before = Math.floor(clock.now() / 1000);
  const { lines } = await boot(
    `date +%s; date -s @0 2>&1; date --set=@0 2>/dev/null; echo $?
     date -d 'Sun, 06 Nov 1994 08:49:37 GMT' +%s; date --date=@5 -u +%FT%TZ; date -ud @6 +%s; date -u -Iseconds -d @7
     touch -d @8 file; date -r file +%s`,
    { clockOffsetSeconds: week },
  );
  expect(Number(lines[0])).toBeGreaterThanOrEqual(before + week);
  expect(lines.slice(1)).toEqual([
    ...["date: cannot set date: Operation not permitted", "1"],
    ...["784111777", "1970-01-01T00:00:05Z", "6", "1970-01-01T00:00:07+00:00", "8"],
  ]);
});

test("has as many GPUs as the instance, or none where the driver is broken", async () => {
  expect((await boot("nvidia-smi -L | wc -l", {}, { GPU_COUNT: "4" })).lines).toEqual(["4"]);
  const { lines } = await boot("nvidia-smi; echo $?", { gpus: 0 }, { GPU_COUNT: "4" });
  expect(lines).toEqual(["No devices were found", "6"]);
});

test("keeps commands that could hurt this computer off the machine, and every package manager", async () => {
  const names = "pkill killall kill shutdown reboot mount sudo systemctl dpkg node npm python3 apt-get dnf yum";
  // The builtin of bash.
  expect((await boot(`command -v ${names}`)).lines).toEqual(["kill"]);
});
