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
  /** A runner's simulated seconds from start to online, as SIM_LISTENER_DELAY_SECONDS. */
  listenerDelaySeconds: z.number().min(0).optional(),
});

/** The behaviour of an offer's machine; by default that of a good one. */
export type MachineBehaviour = z.infer<typeof MachineBehaviour>;

const seconds = z.number().min(0);

/** A step of a boot: this status, from `after` seconds after its start. */
export const StatusStep = z.strictObject({
  after: seconds,
  actual_status: z.string().nullable(),
  status_msg: z.string().nullable().optional(),
});

/** One step of an instance's boot. */
export type StatusStep = z.infer<typeof StatusStep>;

/** Makes the steps of a boot: when, the status, and its message. Before its first step it is being provisioned. */
export function bootSteps(...steps: [after: number, actual_status: string | null, status_msg?: string][]) {
  return steps.map(([after, actual_status, status_msg]): StatusStep => ({ after, actual_status, status_msg }));
}

/** A whole boot. */
export const StatusSteps = z
  .array(StatusStep)
  .min(1)
  .refine((steps) => steps.every(({ after }, index) => after >= (steps[index - 1]?.after ?? 0)), {
    error: "the steps must be in the order of `after`",
  });

/** Bytes over an instance's host's line. GB are of a thousand million bytes. */
export const Traffic = z.strictObject({
  /** Downloaded for the image before its container is up for the first time. */
  imageGb: z.number().min(0).default(0),
  /** While its container is up. */
  downGbPerHour: z.number().min(0).default(0),
  upGbPerHour: z.number().min(0).default(0),
});

/** Bytes over an instance's host's line. */
export type Traffic = z.output<typeof Traffic>;

/** The world behind an offer, which no search shows. */
export const Simulate = z.strictObject({
  /** The boot since creation; the last step stays: one that ends with loading is stuck there. */
  statuses: StatusSteps.optional(),
  machine: MachineBehaviour.optional(),
  /** Without it an instance moves nothing, and shows nothing of it. */
  traffic: Traffic.optional(),
  /** Someone else has the machine though search still shows the offer. */
  unavailable: z.boolean().optional(),
  /** Seconds in which another create is taken, too; its container finds the ports bound. */
  takenTwiceWithin: seconds.optional(),
  /** Somebody bids more so many seconds after a creation: interruptible instances are stopped. */
  outbidAfter: seconds.optional(),
  /** The container's CONTAINER_API_KEY: its own key (default), none, or one that is refused. */
  instanceKey: z.enum(["valid", "missing", "wrong"]).optional(),
});

/** The world behind an offer. */
export type Simulate = z.infer<typeof Simulate>;
