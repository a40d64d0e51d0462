/**
 * `npm run bench -- gpu-figures`, on a computer with a GPU: what the process that asks the driver costs a
 * job. One program does the same work for a while with that process and for a while with it stopped, by
 * turns. Printed is how much of the work was done meanwhile, as a share of what was done without it.
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { findHostCommand } from "../../simulator/machine/host-command.ts";
import { DRIVER } from "../onstart/support/cuda.ts";

const FIGURES = fileURLToPath(new URL("../../onstart/figures.sh", import.meta.url));

/** As it asks on a rented machine, and fifty times as often, which shows a cost too small to see otherwise. */
const INTERVALS = [
  { every: "5 s", option: "-l 5", seconds: 10, pairs: 4 },
  { every: "0.1 s", option: "-lms 100", seconds: 2, pairs: 10 },
] as const;

/** What a step does. */
const STEPS = {
  "fills 1 GiB of the GPU's memory": "call('cuMemsetD32_v2', memory, 0, SIZE // 4); call('cuCtxSynchronize')",
  "sends 4 bytes to the GPU": "call('cuMemcpyHtoD_v2', memory, word, 4); call('cuCtxSynchronize')",
  "takes and frees 1 MiB of the GPU's memory":
    "call('cuMemAlloc_v2', ctypes.byref(other), 1 << 20); call('cuMemFree_v2', other)",
  "adds on the CPU alone": "sum(range(1000))",
} as const;

/** The first half of each pair, and of every second pair the other one first, as what warms up favours neither. */
const PROGRAM = `
${DRIVER}
SIZE = 1 << 30
word, other = ctypes.create_string_buffer(4), ctypes.c_uint64()
open_gpu(0, SIZE)
asking, seconds, pairs = int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
slowest = {signal.SIGCONT: 0.0, signal.SIGSTOP: 0.0}
def steps(side, seconds):
    os.kill(asking, side)
    done, now, worst = 0, time.perf_counter(), 0.0
    end = now + seconds
    while now < end:
        STEP
        done, before, now = done + 1, now, time.perf_counter()
        worst = max(worst, now - before)
    slowest[side] = max(slowest[side], worst)
    return done
steps(signal.SIGSTOP, 2)
shares = []
for pair in range(pairs):
    sides = [signal.SIGCONT, signal.SIGSTOP]
    done = {side: steps(side, seconds) for side in (sides if pair % 2 == 0 else sides[::-1])}
    shares.append(math.log(done[signal.SIGCONT] / done[signal.SIGSTOP]))
mean, error = statistics.mean(shares), statistics.stdev(shares) / math.sqrt(pairs)
print(f"{100 * math.exp(mean):.2f} ± {100 * error:.2f}% of the steps,",
  f"slowest step {1000 * slowest[signal.SIGCONT]:.1f} ms, alone {1000 * slowest[signal.SIGSTOP]:.1f} ms")
`;

/** Does one kind of step while the process asks, and without it. Returns what came of it, in words. */
async function compare(step: string, { option, seconds, pairs }: (typeof INTERVALS)[number]): Promise<string> {
  const script = `eval "$(sed 's/-l 5$/${option}/' "$1")"; ask_driver`;
  const asking = spawn("bash", ["-c", script, "bash", FIGURES], { stdio: "ignore" });
  try {
    // The first question is asked while the runner starts, before any job.
    await delay(3000);
    const program = PROGRAM.replace("STEP", step);
    const given = ["-", String(asking.pid), String(seconds), String(pairs)];
    return execFileSync("python3", given, { input: program, encoding: "utf8" }).trim();
  } finally {
    asking.kill("SIGKILL");
    await once(asking, "close");
  }
}

if (findHostCommand("nvidia-smi") === undefined) {
  console.error("SKIPPED: this computer has no nvidia-smi, so that nothing was measured.");
  process.exitCode = 3;
} else {
  const query = ["--query-gpu=name,driver_version", "--format=csv,noheader"];
  console.log(execFileSync("nvidia-smi", query, { encoding: "utf8" }).trim());
  for (const interval of INTERVALS)
    for (const [does, step] of Object.entries(STEPS))
      console.log(`A program that ${does}, asked every ${interval.every}: ${await compare(step, interval)}`);
}
