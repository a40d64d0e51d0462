// The machine script on a computer with a GPU, against the simulated service: docs/internals/real-gpu.md.
import { ok } from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { findHostCommand } from "../../simulator/machine/host-command.ts";
import { destruction } from "../../simulator/service/rentals/instance-record.ts";
import { type Simulator, startSimulator } from "../../simulator/start-simulator.ts";
import { until } from "../support/simulated-session.ts";
import { DRIVER } from "./support/cuda.ts";
import { REPOSITORY, rent, type Wishes } from "./support/rent-by-hand.ts";

/** Memory on each GPU is taken and given back: what no stand-in for nvidia-smi can tell. */
const CUDA = `python3 - <<'EOF'
${DRIVER}
count = ctypes.c_int()
call("cuDeviceGetCount", ctypes.byref(count))
for index in range(count.value):
    open_gpu(index, 1 << 20)
    call("cuMemFree_v2", memory)
    call("cuCtxDestroy_v2", context)
print(f"CUDA works on {count.value} GPUs.")
EOF`;

/** Takes 1 GiB of the first GPU's memory and fills it for 12 s, so that two of the driver's lines tell of it. */
const BUSY = `python3 - <<'EOF'
${DRIVER}
open_gpu(0, 1 << 30)
end = time.monotonic() + 12
while time.monotonic() < end:
    call("cuMemsetD32_v2", memory, 0, ctypes.c_size_t(1 << 28))
    call("cuCtxSynchronize")
EOF`;

/** What a machine that was rented so said until it gave itself back, and how its job ended. */
async function lifeOf(gpus: number, wishes: Wishes) {
  const offers = [{ id: 11, num_gpus: gpus, simulate: { machine: { driver: "host" as const } } }];
  const statuses = [{ after: 0, actual_status: "running" }];
  await using simulator = await startSimulator({ scenario: { offers, statuses } });
  const { service, github } = simulator;
  const run = github.addRun({
    repository: REPOSITORY,
    jobs: [{ name: "test", labels: ["gpu"], run: ["nvidia-smi -L", CUDA, BUSY] }],
  });
  await rent({ service, github, run }, wishes);
  // Its words go with its disk: time to read them.
  service.setFaults([{ operation: "destroyInstance", kind: "delay", seconds: 2 }]);
  const said = await untilGone(simulator);
  const { log, conclusion } = run.job("test");
  return { said, log, conclusion, told: `${said}\n${log}` };
}

/** The driver's GPUs are enough, a real CUDA call works, and the job sees both. */
async function runsJob(gpus: number): Promise<void> {
  const { conclusion, log, told } = await lifeOf(gpus, { numGpus: gpus, probe: CUDA });
  ok(conclusion === "success", `the job ended with ${conclusion}:\n${told}`);
  ok(log.includes(`CUDA works on ${gpus} GPUs.`), told);
  const [line, use, memory] = /^The GPUs of .*, peak use (\d+)%, peak memory (\d+) MiB, .*/m.exec(log) ?? [];
  ok(Number(use) > 50 && Number(memory) >= 1024, told);
  console.log(line);
}

/** One GPU fewer than was rented: no runner, given back. */
async function refusesFewer(gpus: number): Promise<void> {
  const { conclusion, said, told } = await lifeOf(gpus, { numGpus: gpus + 1 });
  ok(said.includes(`nvidia-smi sees ${gpus} of ${gpus + 1} GPUs.`), told);
  ok(conclusion === null, `the job ended with ${conclusion}:\n${told}`);
}

/** Waits until the machine gave itself back; returns its words. */
async function untilGone({ service, machines }: Simulator): Promise<string> {
  const by = () => service.instances().map((instance) => destruction(instance)?.by)[0];
  let said = "";
  await until(() => {
    if (by() === undefined) said = machines?.containerLog?.(service.instances()[0]?.id ?? 0) ?? "";
    return by() !== undefined;
  }, "the machine to give itself back");
  ok(by() === "instance", `it was ended by ${by()}:\n${said}`);
  return said;
}

/** The driver's own count, without our script. */
function gpusHere(): number {
  const listed = execFileSync("nvidia-smi", ["--query-gpu=name", "--format=csv,noheader"], { encoding: "utf8" });
  const names = listed.trim().split("\n").filter(Boolean);
  console.log(`This computer has ${names.length} GPUs: ${names.join(", ")}.`);
  return names.length;
}

if (findHostCommand("nvidia-smi") === undefined) {
  console.error("SKIPPED: this computer has no nvidia-smi, so that nothing was tried.");
  process.exitCode = 3;
} else {
  const gpus = gpusHere();
  await runsJob(gpus);
  await refusesFewer(gpus);
  console.log(`It ran a job, and refused one GPU more, with ${gpus} real GPUs.`);
}
