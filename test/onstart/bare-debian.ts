import { ok } from "node:assert/strict";
import { cpSync, existsSync, globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { scaledClock } from "../../simulator/clock/sim-clock.ts";
import type { RunControl } from "../../simulator/github/runs/run-control.ts";
import { type GithubStandIn, startGithub } from "../../simulator/github/start-github.ts";
import { destruction } from "../../simulator/service/rentals/instance-record.ts";
import { type ServiceSimulator, startService } from "../../simulator/service/start-service.ts";
import { type ChrootMachine, chrootMachine } from "./support/chroot-machine.ts";
import { REPOSITORY, rent } from "./support/rent-by-hand.ts";

/**
 * The packed bootstrap on a bare Debian, against the simulated service and GitHub; for
 * `.ci/bare-debian.sh`.
 * Usage: node test/onstart/bare-debian.ts ROOT, a folder with a Debian without curl, to be changed.
 */

const JOB = [
  "curl --version",
  "git --version",
  "nvidia-smi -L",
  'if env | grep -E "^(GHR_|CONTAINER_API_KEY)"; then exit 1; fi',
  "if [[ $(id -u) != 0 || ! -x $(command -v apt-get) ]]; then exit 1; fi",
];
/** The stand-in for GitHub's runner. */
const RUNNER = fileURLToPath(new URL("../../simulator/machine/runner", import.meta.url));
/** Read by every bash: pauses are shorter where there are many. */
const FASTER = `read() {
  if [[ "$1 $2" == "-r -t" ]]; then builtin read -r -t "0.$((100 + $3))" "\${@:4}"; else builtin read "$@"; fi
}
`;

interface World {
  service: ServiceSimulator;
  github: GithubStandIn;
  run: RunControl;
  machine: ChrootMachine;
}

async function main(root: string | undefined): Promise<void> {
  if (root === undefined) throw new Error("Usage: node test/onstart/bare-debian.ts ROOT");
  ok(!existsSync(join(root, "usr/bin/curl")), "this Debian is not bare: it has curl");
  writeCommand(root, "nvidia-smi", 'echo "GPU 0: NVIDIA GeForce RTX 4090 (UUID: GPU-0)"');
  await story(root, "installs what it needs, runs the job, and gives itself back", runsTheJob);
  rmSync(join(root, "opt/ghr"), { recursive: true });
  cpSync(RUNNER, join(root, "opt/actions-runner"), { recursive: true });
  await story(root, "uses the runner that lies in the image, after setup", usesItsRunner);
  rmSync(join(root, "opt/ghr"), { recursive: true });
  writeFileSync(join(root, "root/bash_env"), FASTER);
  await story(root, "stops everything in its container when nobody takes it back", endsItself);
}

async function story(root: string, name: string, tell: (world: World, root: string) => Promise<void>): Promise<void> {
  const start = Date.now();
  const clock = scaledClock(1);
  await using github = await startGithub({ clock });
  await using machine = chrootMachine(root);
  const statuses = [{ after: 0, actual_status: "running" }];
  await using service = await startService({ clock, machines: machine, scenario: { offers: [{ id: 11 }], statuses } });
  const run = github.addRun({ repository: REPOSITORY, jobs: [{ name: "test", labels: ["gpu"], run: JOB }] });
  try {
    await tell({ service, github, run, machine }, root);
    console.log(`ok      ${name} (${Math.round((Date.now() - start) / 1000)} s)`);
  } catch (error) {
    console.log(`FAILED  ${name}\n${machine.output()}\n${run.job("test").log}`);
    throw error;
  }
}

async function runsTheJob(world: World, root: string): Promise<void> {
  const { service, run, machine } = world;
  await rent(world, { numGpus: 1 });
  await until(() => destroyedBy(service) !== undefined);
  ok(destroyedBy(service) === "instance", "it was not the machine that gave itself back");
  ok(run.job("test").conclusion === "success", `the job ended with ${run.job("test").conclusion}`);
  ok(run.job("test").log.includes("git version"), "the job had no git");
  const libraries = globSync("{usr/,}lib/**/libicuuc.so.*", { cwd: root });
  ok(libraries.length > 0, "libicu was not installed");
  ok(machine.output().includes(" ghr: Starting the runner."), "the service's log does not show the script's");
  ok(machine.output().includes("Listening for Jobs"), "the service's log does not show the runner's");
}

async function usesItsRunner(world: World, root: string): Promise<void> {
  const { service, run, machine } = world;
  const setup = 'echo "in $PWD" >/root/left\nif env | grep -E "^(GHR_|CONTAINER_API_KEY)"; then exit 1; fi';
  await rent(world, { numGpus: 1, setup });
  await until(() => destroyedBy(service) !== undefined);
  ok(run.job("test").conclusion === "success", `the job ended with ${run.job("test").conclusion}`);
  ok(machine.output().includes("The image has runner 2.337.0 in /opt/actions-runner; GitHub offers 2.337.0."));
  ok(!existsSync(join(root, "opt/ghr/runner.tgz")) && !existsSync(join(root, "opt/actions-runner/_work")));
  ok(!existsSync(join(root, "opt/ghr/updated")), "it asked the package manager, though nothing lacks");
  ok(readFileSync(join(root, "root/left"), "utf8") === "in /root\n", "setup did not run where it should");
}

async function endsItself(world: World): Promise<void> {
  const { service, machine } = world;
  service.setFaults([{ operation: "destroyInstance", kind: "status", status: 500 }]);
  // More than it has: it prepares nothing, and wants to give itself back.
  await rent(world, { numGpus: 2 });
  await until(() => machine.isUp());
  await until(() => !machine.isUp());
  ok(destroyedBy(service) === undefined, "the service let it go after all");
  ok(service.journal.of("destroyInstance").length >= 20, "it gave up too early");
  ok(machine.output().includes(" ghr: Stopping everything."), "it ended in another way");
}

function destroyedBy(service: ServiceSimulator): string | undefined {
  const instance = service.instances()[0];
  return instance && destruction(instance)?.by;
}

function writeCommand(root: string, name: string, body: string): void {
  writeFileSync(join(root, "usr/local/bin", name), `#!/bin/bash\n${body}\n`, { mode: 0o755 });
}

/** Waits until the condition holds, at most as long as installing from a slow mirror may take. */
async function until(condition: () => boolean): Promise<void> {
  const end = Date.now() + 300_000;
  while (!condition()) {
    ok(Date.now() < end, "it never came to that");
    await delay(50);
  }
}

await main(process.argv[2]);
