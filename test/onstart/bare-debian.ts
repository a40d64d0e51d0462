import { ok } from "node:assert/strict";
import { existsSync, globSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { scaledClock } from "../../simulator/clock/sim-clock.ts";
import { startGithub } from "../../simulator/github/start-github.ts";
import { destruction } from "../../simulator/service/rentals/instance-record.ts";
import { startService } from "../../simulator/service/start-service.ts";
import { chrootMachine } from "./support/chroot-machine.ts";
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

const [root] = process.argv.slice(2);
if (root === undefined) throw new Error("Usage: node test/onstart/bare-debian.ts ROOT");
await main(root);
