import { ok } from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, globSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { scaledClock } from "../../simulator/clock/sim-clock.ts";
import { startGithub } from "../../simulator/github/start-github.ts";
import type { MachineHost } from "../../simulator/service/containers/machine-host.ts";
import { destruction } from "../../simulator/service/rentals/instance-record.ts";
import { startService } from "../../simulator/service/start-service.ts";
import { REPOSITORY, rent } from "./support/rent-by-hand.ts";

/**
 * The packed bootstrap on a bare Debian, against the simulated service and GitHub: it installs what it needs, runs the
 * job, and gives itself back. For `.ci/bare-debian.sh`.
 * Usage: node test/onstart/bare-debian.ts ROOT, a folder with a Debian without curl, to be changed.
 */

const JOB = [
  "curl --version",
  "git --version",
  "nvidia-smi -L",
  'if env | grep -E "^(GHR_|CONTAINER_API_KEY)"; then exit 1; fi',
  "if [[ $(id -u) != 0 || ! -x $(command -v apt-get) ]]; then exit 1; fi",
];
const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** As on a rented machine: it runs the onstart, then stays until what it waits for is ended. */
const FIRST_PROCESS = "bash /root/onstart.sh\n/usr/bin/sleep infinity\n";

/** Its mounts and processes end with it, and it with us: nothing is left behind. */
const CONTAINER = 'mount -t proc proc "$1/proc" && exec chroot "$1" /bin/bash /root/container.sh';
const ENCLOSE = ["--pdeathsig", "KILL", "unshare", "--pid", "--fork", "--kill-child", "--mount"];

/** As long as installing from a slow mirror may take. */
const MOST_MS = 300_000;

async function main(root: string): Promise<void> {
  ok(!existsSync(join(root, "usr/bin/curl")), "this Debian is not bare: it has curl");
  const driver = '#!/bin/bash\necho "GPU 0: NVIDIA GeForce RTX 4090 (UUID: GPU-0)"\n';
  writeFileSync(join(root, "usr/local/bin/nvidia-smi"), driver, { mode: 0o755 });
  const clock = scaledClock(1);
  await using github = await startGithub({ clock });
  await using machine = chrootMachine(root);
  const statuses = [{ after: 0, actual_status: "running" }];
  await using service = await startService({ clock, machines: machine, scenario: { offers: [{ id: 11 }], statuses } });
  const run = github.addRun({ repository: REPOSITORY, jobs: [{ name: "test", labels: ["gpu"], run: JOB }] });
  const destroyedBy = () => service.instances().map((instance) => destruction(instance)?.by)[0];
  try {
    await rent({ service, github, run }, { numGpus: 1 });
    for (const end = clock.now() + MOST_MS; destroyedBy() === undefined; await delay(50))
      ok(clock.now() < end, "it never came to that");
    ok(destroyedBy() === "instance", "it was not the machine that gave itself back");
    const { conclusion, log } = run.job("test");
    ok(conclusion === "success", `the job ended with ${conclusion}`);
    ok(log.includes("git version"), "the job had no git");
    ok(globSync("{usr/,}lib/**/libicuuc.so.*", { cwd: root }).length > 0, "libicu was not installed");
    ok(machine.output().includes(" ghr: Starting the runner."), "the service's log does not show the script's");
    ok(machine.output().includes("Listening for Jobs"), "the service's log does not show the runner's");
  } catch (error) {
    console.log(`${machine.output()}\n${run.job("test").log}`);
    throw error;
  }
  console.log("It installed what it needs, ran the job, and gave itself back.");
}

/** A container made of the Linux that lies in `root`, for one instance; needs root. Disposing ends its processes. */
function chrootMachine(root: string) {
  // Not a pipe to here: what Node makes for one is a socket, which nobody can open by /proc/1/fd/1.
  const log = `${root}.log`;
  rmSync(log, { force: true });
  let container: ChildProcess | undefined;

  async function end(): Promise<void> {
    const ending = container;
    container = undefined;
    if (ending === undefined || ending.exitCode !== null || ending.signalCode !== null) return;
    ending.kill("SIGKILL");
    await once(ending, "exit");
  }

  return {
    /** Printed by the container's first process, which is the service's log of it. */
    output: () => (existsSync(log) ? readFileSync(log, "utf8") : ""),
    start({ onstart, env }: Parameters<MachineHost["start"]>[0]) {
      writeFileSync(join(root, "root/onstart.sh"), onstart);
      writeFileSync(join(root, "root/container.sh"), FIRST_PROCESS);
      const output = openSync(log, "a");
      const child = spawn("setpriv", [...ENCLOSE, "bash", "-c", CONTAINER, "bash", root], {
        env: { ...env, PATH, HOME: "/root" },
        stdio: ["ignore", output, output],
      });
      closeSync(output);
      container = child;
    },
    stop: end,
    destroy: end,
    [Symbol.asyncDispose]: end,
  };
}

const [root] = process.argv.slice(2);
if (root === undefined) throw new Error("Usage: node test/onstart/bare-debian.ts ROOT");
await main(root);
