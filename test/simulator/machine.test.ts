import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { scaledClock } from "../../simulator/clock/sim-clock.ts";
import { type LocalMachines, localMachines } from "../../simulator/machine/local-machines.ts";

const clock = scaledClock(50);
/** A command that never ends by itself; its odd number makes it unmistakable. */
const FOREVER = "/bin/sleep 987654321";

let root: string;
const others: ChildProcess[] = [];

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "machine-test-"));
});

afterEach(() => {
  for (const other of others.splice(0)) other.kill("SIGKILL");
  rmSync(root, { recursive: true, force: true });
});

function start(machines: LocalMachines, onstart: string, instanceId = 1) {
  machines.start({ instanceId, image: "debian:12", onstart, env: {}, behaviour: {} });
}

async function printed(machines: LocalMachines, text: string, instanceId = 1) {
  await expect.poll(() => machines.output(instanceId)).toContain(text);
}

function isAlive(pid: number): boolean {
  try {
    // A process that was killed but that nobody has waited for counts as ended.
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

/** An onstart whose processes get away in all the ways there are; it prints their ids. */
const FUGITIVES = `
  ${FOREVER} & echo pid=$!
  nohup ${FOREVER} >/dev/null 2>&1 & echo pid=$!
  setsid bash -c 'echo pid=$$; exec ${FOREVER}' &
  (setsid bash -c '(echo pid=$BASHPID; exec ${FOREVER}) &' &)
  env -i /bin/bash -c 'echo pid=$$; exec ${FOREVER}' &
  setsid bash -c 'env -i /bin/bash -c "echo pid=\\$\\$; exec ${FOREVER}" & ${FOREVER}' &
  bash -c 'trap "" TERM INT HUP; echo pid=$$; while :; do sleep 1; done' &`;

function pidsIn(output: string): number[] {
  return [...output.matchAll(/^pid=(\d+)$/gm)].map((match) => Number(match[1]));
}

/** Those of the first machine, when all have got away. */
async function fugitivesOf(machines: LocalMachines): Promise<number[]> {
  await expect.poll(() => pidsIn(machines.output(1))).toHaveLength(7);
  return pidsIn(machines.output(1));
}

test("ends all processes of a machine, and none that is not of a machine", async () => {
  await using machines = localMachines({ root, clock });
  start(machines, FUGITIVES);
  start(machines, `${FOREVER} & echo pid=$!; echo booted`, 2);
  await printed(machines, "booted", 2);
  const pids = await fugitivesOf(machines);
  expect(pids.filter(isAlive)).toEqual(pids);
  const bystander = spawn("/bin/sleep", ["987654321"], { cwd: machines.root(1), detached: true, stdio: "ignore" });
  others.push(bystander);

  // A second one finds nothing.
  for (const _twice of [1, 2]) await machines.destroy(1);
  expect(pids.filter(isAlive)).toEqual([]);
  expect(isAlive(bystander.pid ?? 0)).toBe(true);
  const neighbours = pidsIn(machines.output(2));
  expect(neighbours.filter(isAlive)).toEqual(neighbours);
});

test("keeps the disk when the container ends, and runs the onstart again at the next start", async () => {
  await using machines = localMachines({ root, clock });
  const onstart =
    'mkdir -p "$GHR_ROOT"; echo "start" >>"$GHR_ROOT/starts"; echo "starts: $(wc -l <"$GHR_ROOT/starts")"';
  start(machines, onstart);
  await printed(machines, "starts: 1");
  await machines.stop(1);
  expect(existsSync(join(machines.root(1), "opt/ghr/starts"))).toBe(true);
  start(machines, onstart);
  await printed(machines, "starts: 2");
});

test("ends all machines and leaves no file when it is disposed of, and starts none afterwards", async () => {
  const machines = localMachines({ root, clock });
  start(machines, FUGITIVES);
  const pids = await fugitivesOf(machines);
  await machines[Symbol.asyncDispose]();
  expect(pids.filter(isAlive)).toEqual([]);
  expect(readdirSync(root)).toEqual([]);
  start(machines, "echo too late");
  expect(readdirSync(root)).toEqual([]);
});

test("ends the machines of a simulator that was killed with kill -9", async () => {
  const code = `import { localMachines } from ${JSON.stringify(new URL("../../simulator/machine/local-machines.ts", import.meta.url))};
    import { scaledClock } from ${JSON.stringify(new URL("../../simulator/clock/sim-clock.ts", import.meta.url))};
    const machines = localMachines({ root: ${JSON.stringify(root)}, clock: scaledClock(50) });
    const onstart = "${FOREVER} & echo pid=$!; setsid ${FOREVER} & echo pid=$!; echo booted";
    machines.start({ instanceId: 1, image: "x", onstart, env: {}, behaviour: {} });
    const wait = setInterval(() => {
      if (machines.output(1).includes("booted")) console.log(machines.output(1));
    }, 50);`;
  const simulator = spawn(process.execPath, ["--input-type=module", "--eval", code], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  others.push(simulator);
  let output = "";
  simulator.stdout.on("data", (chunk) => {
    output += chunk;
  });
  await expect.poll(() => output).toContain("booted");
  const pids = pidsIn(output).slice(0, 2);
  expect(pids.filter(isAlive)).toEqual(pids);
  simulator.kill("SIGKILL");
  await once(simulator, "exit");
  await expect.poll(() => pids.filter(isAlive)).toEqual([]);
  await expect.poll(() => readdirSync(root)).toEqual([]);
});
