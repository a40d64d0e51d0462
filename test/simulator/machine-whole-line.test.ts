import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { z } from "zod";
import type { RunControl } from "../../simulator/github/runs/run-control.ts";
import { findTagged } from "../../simulator/machine/tagged-processes.ts";
import type { MachineBehaviour } from "../../simulator/scenario/behaviour.ts";
import { type Simulator, startSimulator } from "../../simulator/start-simulator.ts";
import { onstartEnv } from "../../src/onstart/onstart-env.ts";
import { packOnstart } from "../../src/onstart/pack-onstart.ts";
import { readBootstrap } from "../../src/onstart/read-bootstrap.ts";
import { readWork } from "../../src/onstart/read-work.ts";

const PATIENCE = { timeout: 50_000, interval: 50 };
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

/** Registers a single-use runner and creates an instance with the real onstart; answers the instance's id. */
async function rent({ clock, service, github }: Simulator): Promise<number> {
  const runners = `${github.url}/repos/${REPOSITORY}/actions/runners`;
  const runner = { name: `${LABEL}-abc123-1`, runner_group_id: 1, labels: [LABEL], work_folder: "_work" };
  const jit = Registered.parse(
    await ask(`${runners}/generate-jitconfig`, github.runnerToken, { method: "POST", body: runner }),
  );
  const downloads = Downloads.parse(await ask(`${runners}/downloads`, github.runnerToken));
  const download = downloads.find(({ os, architecture }) => os === "linux" && architecture === "x64");
  const env = onstartEnv(
    {
      jitConfig: jit.encoded_jit_config,
      runnerUrl: download?.download_url ?? "",
      runnerSha256: download?.sha256_checksum ?? "",
      apiUrl: service.url,
      deadline: clock.now() / 1000 + 3600,
      maxUptimeSeconds: 3600,
      idleTimeoutSeconds: 300,
      numGpus: 2,
      repository: REPOSITORY,
      runId: RUN.runId,
      runAttempt: RUN.attempt,
      work: readWork(),
      setup: "",
      setupTimeoutSeconds: 600,
      probe: "",
    },
    { GREETING: "hello" },
  );
  const body = {
    ...{ image: "debian:12", disk: 32, runtype: "ssh_direct", target_state: "running", cancel_unavail: true },
    ...{ label: "ghr1.test", env, onstart: packOnstart(readBootstrap()) },
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
  ["a machine whose clock is two days off", { gpus: 2, clockOffsetSeconds: 172_800 }],
])("runs a GPU job on %s, which then gives itself back", async (_, machine) => {
  await using simulator = await simulate(machine);
  const { service, github } = simulator;
  const run = addRun(simulator, ["nvidia-smi -L", 'echo "$GREETING from $RUNNER_NAME"', "git --version", "sleep 30"]);
  const instanceId = await rent(simulator);
  expect(service.books.billingNow()).toHaveLength(1);

  await expect.poll(() => run.job("test").status, PATIENCE).toBe("in_progress");
  expect(github.runners()).toMatchObject([{ name: `${LABEL}-abc123-1`, labels: [LABEL], online: true, job: "test" }]);
  await expect.poll(() => run.job("test").status, PATIENCE).toBe("completed");
  expect(run.job("test").log).toContain("GPU 1: ");
  expect(run.job("test").log).toContain(`hello from ${LABEL}-abc123-1`);
  expect(run.job("test").conclusion).toBe("success");

  await expect.poll(() => service.books.billingNow(), PATIENCE).toEqual([]);
  const destroys = service.journal.of("destroyInstance");
  expect(destroys.map(({ caller, status }) => ({ caller, status }))).toContainEqual({
    caller: `instance ${instanceId}`,
    status: 200,
  });
  expect(service.journal.strays()).toEqual([]);
  expect(github.runners()).toEqual([]);
  await expect.poll(() => processesOf(simulator, instanceId), PATIENCE).toEqual([]);
  await expect.poll(() => existsSync(simulator.machines?.root(instanceId) ?? ""), PATIENCE).toBe(false);
});

test("leaves no process when the instance is destroyed while its job runs", async () => {
  await using simulator = await simulate({ gpus: 2 });
  const { service } = simulator;
  const run = addRun(simulator, ["setsid sleep 987654321 &", "env -i /bin/sleep 987654321 &", "sleep 100000"]);
  const instanceId = await rent(simulator);
  await expect.poll(() => run.job("test").status, PATIENCE).toBe("in_progress");
  await expect.poll(() => processesOf(simulator, instanceId).length, PATIENCE).toBeGreaterThan(5);

  await ask(`${service.url}/api/v0/instances/${instanceId}/`, service.apiKey, { method: "DELETE", body: {} });

  await expect.poll(() => processesOf(simulator, instanceId), PATIENCE).toEqual([]);
  await expect.poll(() => existsSync(simulator.machines?.root(instanceId) ?? ""), PATIENCE).toBe(false);
  expect(service.books.billingNow()).toEqual([]);
});

test.each<[string, MachineBehaviour]>([
  ["has fewer GPUs than were rented", { gpus: 1 }],
  ["is an Alpine", { gpus: 2, libc: "musl" }],
])("is given back without a runner when it %s", async (_, machine) => {
  await using simulator = await simulate(machine);
  const run = addRun(simulator, ["true"]);
  const instanceId = await rent(simulator);
  await expect.poll(() => simulator.service.books.billingNow(), PATIENCE).toEqual([]);
  expect(simulator.service.journal.of("destroyInstance")).toMatchObject([{ caller: `instance ${instanceId}` }]);
  expect(run.job("test").status).toBe("queued");
  expect(simulator.github.runners()).toMatchObject([{ online: false }]);
});
