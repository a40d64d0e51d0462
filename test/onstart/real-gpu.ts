// The machine script on a computer with a GPU, against the simulated service: docs/internals/real-gpu.md.
import { ok } from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { findHostCommand } from "../../simulator/machine/host-command.ts";
import { destruction } from "../../simulator/service/rentals/instance-record.ts";
import { type Simulator, startSimulator } from "../../simulator/start-simulator.ts";
import { REPOSITORY, rent, type Wishes } from "./support/rent-by-hand.ts";

/** Lines of Python that call the driver. */
const DRIVER = `import ctypes, time
cuda = ctypes.CDLL("libcuda.so.1")
def call(name, *arguments):
    code = getattr(cuda, name)(*arguments)
    if code != 0:
        raise SystemExit(f"{name} ended with {code}")`;

/** Memory on each GPU is taken and given back: what no stand-in for nvidia-smi can tell. */
const CUDA = `python3 - <<'EOF'
${DRIVER}
count, device, context, memory = ctypes.c_int(), ctypes.c_int(), ctypes.c_void_p(), ctypes.c_uint64()
call("cuInit", 0)
call("cuDeviceGetCount", ctypes.byref(count))
for index in range(count.value):
    call("cuDeviceGet", ctypes.byref(device), index)
    call("cuCtxCreate_v2", ctypes.byref(context), 0, device)
    call("cuMemAlloc_v2", ctypes.byref(memory), ctypes.c_size_t(1 << 20))
    call("cuMemFree_v2", memory)
    call("cuCtxDestroy_v2", context)
print(f"CUDA works on {count.value} GPUs.")
EOF`;

/** Takes 1 GiB of the first GPU's memory and fills it for 12 s, so that two of the driver's lines tell of it. */
const BUSY = `python3 - <<'EOF'
${DRIVER}
device, context, memory = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_uint64()
call("cuInit", 0)
call("cuDeviceGet", ctypes.byref(device), 0)
call("cuCtxCreate_v2", ctypes.byref(context), 0, device)
call("cuMemAlloc_v2", ctypes.byref(memory), ctypes.c_size_t(1 << 30))
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

/** Waits until the machine gave itself back (three minutes are plenty); returns its words. */
async function untilGone({ service, machines }: Simulator): Promise<string> {
  const end = Date.now() + 180_000;
  let said = "";
  for (;;) {
    const [instance] = service.instances();
    const by = instance && destruction(instance)?.by;
    ok(by === undefined || by === "instance", `it was ended by ${by}:\n${said}`);
    if (by !== undefined) return said;
    said = machines?.containerLog?.(instance?.id ?? 0) ?? "";
    ok(Date.now() < end, `it did not give itself back:\n${said}`);
    await delay(100);
  }
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
