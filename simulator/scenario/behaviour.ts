import { z } from "zod";

/** Checks a scenario's words on the machine of an offer; unknown keys are refused. */
export const MachineBehaviour = z.strictObject({
  /** `skip`: the container runs but its onstart never does, as on a machine that hangs at boot. */
  onstart: z.enum(["run", "skip"]).optional(),
  /** `host`: it has this computer's GPUs, by its nvidia-smi and its Python. */
  driver: z.enum(["simulated", "host"]).optional(),
  /** GPUs that `nvidia-smi` shows; default: GPU_COUNT of the machine's environment, else 1. */
  gpus: z.int().min(0).optional(),
  /** The name and the memory (MiB) that `nvidia-smi` prints; default: those of the offer. */
  gpuName: z.string().optional(),
  gpuMemoryMib: z.int().min(1).optional(),
  /** How far the machine's own clock is off, in simulated seconds; above 0 is in the future. */
  clockOffsetSeconds: z.number().optional(),
  /**
   * Commands that the image lacks (`curl`, `git`, …) until its package manager installs them;
   * `libicu` and `ca-certificates` name the package.
   */
  missing: z.array(z.string().min(1)).optional(),
  /** `musl`: the image is an Alpine, on which the runner cannot run. */
  libc: z.enum(["glibc", "musl"]).optional(),
  /** A runner's simulated seconds from start to online, as SIM_LISTENER_DELAY_SECONDS. */
  listenerDelaySeconds: z.number().min(0).optional(),
});

/** The behaviour of an offer's machine; by default that of a good one. */
export type MachineBehaviour = z.infer<typeof MachineBehaviour>;
