// The machine script on a computer with a GPU, against the simulated service: docs/internals/real-gpu.md.
import { ok } from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { findHostCommand } from "../../simulator/machine/host-command.ts";
import { destruction } from "../../simulator/service/rentals/instance-record.ts";
import { type Simulator, startSimulator } from "../../simulator/start-simulator.ts";
import { REPOSITORY, rent } from "./support/rent-by-hand.ts";

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

interface Story {
  name: string;
  /** Beside those that there are. */
  moreGpus: number;
  probe: string;
  /** How its job ends: null where none comes to it. */
  conclusion: "success" | null;
  says: RegExp;
}

const STORIES: readonly Story[] = [
  {
    name: "the driver's GPUs are enough, a real CUDA call works, and the job sees both",
    ...{ moreGpus: 0, probe: CUDA, conclusion: "success", says: /Starting the runner\./ },
  },
  {
    name: "one GPU fewer than was rented: no runner, given back",
    ...{ moreGpus: 1, probe: "", conclusion: null, says: /nvidia-smi sees \d+ of \d+ GPUs\./ },
  },
  {
    name: "a probe that fails: no runner, given back",
    ...{
      moreGpus: 0,
      probe: `${CUDA}\necho 'too little memory' && exit 1`,
      conclusion: null,
      says: /no good: .*too little memory/,
    },
  },
];

async function tell({ name, moreGpus, probe, conclusion, says }: Story, gpus: number): Promise<void> {
  const offers = [{ id: 11, num_gpus: gpus, simulate: { machine: { driver: "host" as const } } }];
  const statuses = [{ after: 0, actual_status: "running" }];
  await using simulator = await startSimulator({ scenario: { offers, statuses } });
  const { service, github } = simulator;
  const run = github.addRun({
    repository: REPOSITORY,
    jobs: [{ name: "test", labels: ["gpu"], run: ["nvidia-smi -L", CUDA, BUSY] }],
  });
  await rent({ service, github, run }, { numGpus: gpus + moreGpus, probe });
  // Its words go with its disk: time to read them.
  service.setFaults([{ operation: "destroyInstance", kind: "delay", seconds: 2 }]);
  const said = await untilGone(simulator);
  const { log, conclusion: ended } = run.job("test");
  const told = `${said}\n${log}`;
  ok(says.test(said), `the machine did not say ${says}:\n${told}`);
  ok(ended === conclusion, `the job ended with ${ended}:\n${told}`);
  if (conclusion !== null) {
    ok(log.includes(`CUDA works on ${gpus} GPUs.`), told);
    const [, use, memory] = /^The GPUs of .*, peak use (\d+)%, peak memory (\d+) MiB, /m.exec(log) ?? [];
    ok(Number(use) > 50 && Number(memory) >= 1024, told);
    console.log(/^The GPUs of instance .*/m.exec(log)?.[0]);
  }
  console.log(`ok  ${name}`);
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
  for (const story of STORIES) await tell(story, gpus);
  console.log(`${STORIES.length} stories, with ${gpus} real GPUs.`);
}
