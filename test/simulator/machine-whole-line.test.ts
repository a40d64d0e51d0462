import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import type { RunControl } from "../../simulator/github/runs/run-control.ts";
import { findTagged } from "../../simulator/machine/tagged-processes.ts";
import type { MachineBehaviour } from "../../simulator/scenario/behaviour.ts";
import { type Simulator, startSimulator } from "../../simulator/start-simulator.ts";
import { onstartEnv } from "../../src/machine-script/onstart-env.ts";
import { ONSTART } from "../../src/machine-script/packed.ts";

const OFFER = 11;
const REPOSITORY = "octo/gpu-lib";
const RUN = { runId: 4711, attempt: 2 };
const LABEL = `gpu-${RUN.runId}-${RUN.attempt}`;

function simulate(machine: MachineBehaviour): Promise<Simulator> {
  return startSimulator({ factor: 20, scenario: { offers: [{ id: OFFER, num_gpus: 2, simulate: { machine } }] } });
}

/** A run whose GPU job waits for our runner. */
function addRun({ github }: Simulator, lines: string[]): RunControl {
  const job = { name: "test", labels: [LABEL], run: lines };
  return github.addRun({ repository: REPOSITORY, ...RUN, jobs: [job] });
}

const Registered = z.object({ encoded_jit_config: z.string() });
const Created = z.object({ new_contract: z.int() });
const Downloads = z.array(
  z.object({ os: z.string(), architecture: z.string(), download_url: z.url(), sha256_checksum: z.string() }),
);

/** One request by hand: nothing of our own clients takes part. */
async function ask(url: string, token: string, init: { method?: string; body?: unknown } = {}): Promise<unknown> {
  const response = await fetch(url, {
    method: init.method ?? "GET",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(init.body === undefined ? {} : { body: JSON.stringify(init.body) }),
  });
  const body: unknown = await response.json();
  expect([200, 201], JSON.stringify(body)).toContain(response.status);
  return body;
}

/** Registers single-use runners, creates an instance with the real onstart, returns its id. */
async function rent({ clock, service, github }: Simulator, wishes = { jobs: 1, keepFailed: 0 }): Promise<number> {
  const runners = `${github.url}/repos/${REPOSITORY}/actions/runners`;
  const jitConfigs: string[] = [];
  for (let n = 1; n <= wishes.jobs; n += 1) {
    const name = `${LABEL}-abc123-1${n === 1 ? "" : `-${n}`}`;
    const body = { name, runner_group_id: 1, labels: [LABEL], work_folder: "_work" };
    const answer = await ask(`${runners}/generate-jitconfig`, github.runnerToken, { method: "POST", body });
    jitConfigs.push(Registered.parse(answer).encoded_jit_config);
  }
  const downloads = Downloads.parse(await ask(`${runners}/downloads`, github.runnerToken));
  const download = downloads.find(({ os, architecture }) => os === "linux" && architecture === "x64");
  const env = onstartEnv(
    {
      jitConfigs,
      download: { url: download?.download_url ?? "", sha256: download?.sha256_checksum ?? "" },
      apiUrl: service.url,
      deadline: clock.now() + 3_600_000,
      uptimeMs: 3_600_000,
      maxLifetime: 3_600_000,
      keepFailed: wishes.keepFailed,
      idleTimeout: 300_000,
      numGpus: 2,
      repository: REPOSITORY,
      runId: RUN.runId,
      runAttempt: RUN.attempt,
      setup: "",
      setupTimeout: 600_000,
      probe: "",
      gpuFigures: true,
    },
    { GREETING: "hello" },
  );
  const body = {
    ...{ image: "debian:12", disk: 32, runtype: "ssh_direct", target_state: "running", cancel_unavail: true },
    ...{ label: "ghr1.test", env, onstart: ONSTART },
  };
  const created = await ask(`${service.url}/api/v0/asks/${OFFER}/`, service.apiKey, { method: "PUT", body });
  return Created.parse(created).new_contract;
}

function processesOf({ machines }: Simulator, instanceId: number): number[] {
  return findTagged(`SIM_MACHINE=${machines?.root(instanceId)}/`);
}

test.each<[string, MachineBehaviour]>([
  ["an image that has all", { gpus: 2 }],
  ["a bare image", { gpus: 2, missing: ["curl", "git", "libicu", "ca-certificates"] }],
  ["a bare image of the Red Hat family", { gpus: 2, missing: ["apt-get", "curl", "git", "libicu"] }],
  ["a machine whose clock is 100 s off", { gpus: 2, clockOffsetSeconds: 100 }],
])("runs a GPU job on %s, which then gives itself back", async (_, machine) => {
  await using simulator = await simulate(machine);
  const { service, github } = simulator;
  const run = addRun(simulator, ["nvidia-smi -L", 'echo "$GREETING from $RUNNER_NAME"', "git --version", "sleep 30"]);
  const instanceId = await rent(simulator);
  expect(service.books.billingNow()).toHaveLength(1);

  await expect.poll(() => run.job("test").status).toBe("in_progress");
  expect(github.runners()).toMatchObject([{ name: `${LABEL}-abc123-1`, labels: [LABEL], online: true, job: "test" }]);
  await expect.poll(() => run.job("test").status).toBe("completed");
  expect(run.job("test").log).toContain("GPU 1: ");
  expect(run.job("test").log).toContain(`hello from ${LABEL}-abc123-1`);
  expect(run.job("test").conclusion).toBe("success");

  await expect.poll(() => service.books.billingNow()).toEqual([]);
  const destroys = service.journal.of("destroyInstance");
  expect(destroys.map(({ caller, status }) => ({ caller, status }))).toContainEqual({
    caller: `instance ${instanceId}`,
    status: 200,
  });
  expect(service.journal.strays()).toEqual([]);
  expect(github.runners()).toEqual([]);
  await expect.poll(() => processesOf(simulator, instanceId)).toEqual([]);
  await expect.poll(() => existsSync(simulator.machines?.root(instanceId) ?? "")).toBe(false);
});

test("runs three jobs one after another, each by its own runner in a clean folder, and then gives itself back", async () => {
  await using simulator = await simulate({ gpus: 2 });
  const { service, github } = simulator;
  const lines = [
    'echo "by $RUNNER_NAME"',
    "ls -A ..",
    "touch ../left",
    "cat ~/.netrc || true",
    "echo secret >~/.netrc",
  ];
  const names = ["first", "second", "third"];
  const jobs = names.map((name) => ({ name, labels: [LABEL], run: lines }));
  const run = github.addRun({ repository: REPOSITORY, ...RUN, jobs });
  await rent(simulator, { jobs: 3, keepFailed: 0 });

  await expect.poll(() => service.books.billingNow()).toEqual([]);
  expect(names.map((name) => run.job(name).conclusion)).toEqual(["success", "success", "success"]);
  const logs = names.map((name) => run.job(name).log).sort();
  const runners = ["", "-2", "-3"].map((mark) => `by ${LABEL}-abc123-1${mark}\n`);
  expect(logs.map((log) => log.match(/^by gpu.*\n/m)?.[0])).toEqual(expect.arrayContaining(runners));
  for (const log of logs) expect(log).not.toMatch(/^(left|secret)$/m);
  expect(service.instances()).toHaveLength(1);
  expect(github.runners()).toEqual([]);
});

test("tells in the job's log what its GPUs did, by the driver's own words", async () => {
  await using simulator = await simulate({ gpus: 2 });
  const doings = `echo '87 12000 71 310.50 0x0000000000000040' >"\${SIM_MACHINE}sim/gpu"`;
  const run = addRun(simulator, [doings, "sleep 60"]);
  await rent(simulator);
  await expect.poll(() => run.job("test").status).toBe("completed");
  expect(run.job("test").log).toMatch(
    /^ghr-figures: v=1 instance=\d+ setup=\d+ idle=\d+ work=\d+ samples=\d+ use-median=87 use-peak=87 memory-peak=12000 memory-total=24564 temperature-peak=71 power-peak=310 throttled=\d+$/m,
  );
});

test("is kept for a look when its job failed, and takes no further job", async () => {
  await using simulator = await simulate({ gpus: 2 });
  const { service, github, machines } = simulator;
  const jobs = ["first", "second"].map((name) => ({ name, labels: [LABEL], run: ["exit 3"] }));
  const run = github.addRun({ repository: REPOSITORY, ...RUN, jobs });
  const instanceId = await rent(simulator, { jobs: 2, keepFailed: 3_000_000 });
  const root = join(machines?.root(instanceId) ?? "", "opt/ghr");
  const log = () => (existsSync(root) ? readFileSync(join(root, "log"), "utf8") : "");
  await expect.poll(log).toContain("A job failed: the machine is kept for a look by SSH for 3000 s");
  expect(["first", "second"].map((name) => run.job(name).status).sort()).toEqual(["completed", "queued"]);
  expect(service.books.billingNow()).toHaveLength(1);

  writeFileSync(join(root, "done"), "");
  await expect.poll(() => service.books.billingNow()).toEqual([]);
});

test("leaves no process when the instance is destroyed while its job runs", async () => {
  await using simulator = await simulate({ gpus: 2 });
  const { service } = simulator;
  const run = addRun(simulator, ["setsid sleep 987654321 &", "env -i /bin/sleep 987654321 &", "sleep 100000"]);
  const instanceId = await rent(simulator);
  await expect.poll(() => run.job("test").status).toBe("in_progress");
  await expect.poll(() => processesOf(simulator, instanceId).length).toBeGreaterThan(5);

  await ask(`${service.url}/api/v0/instances/${instanceId}/`, service.apiKey, { method: "DELETE", body: {} });

  await expect.poll(() => processesOf(simulator, instanceId)).toEqual([]);
  await expect.poll(() => existsSync(simulator.machines?.root(instanceId) ?? "")).toBe(false);
  expect(service.books.billingNow()).toEqual([]);
});

test.each<[string, MachineBehaviour]>([
  ["has fewer GPUs than were rented", { gpus: 1 }],
  ["is an Alpine", { gpus: 2, libc: "musl" }],
])("is given back without a runner when it %s", async (_, machine) => {
  await using simulator = await simulate(machine);
  const run = addRun(simulator, ["true"]);
  const instanceId = await rent(simulator);
  await expect.poll(() => simulator.service.books.billingNow()).toEqual([]);
  expect(simulator.service.journal.of("destroyInstance")).toMatchObject([{ caller: `instance ${instanceId}` }]);
  expect(run.job("test").status).toBe("queued");
  expect(simulator.github.runners()).toMatchObject([{ online: false }]);
});
