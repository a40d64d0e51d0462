import { z } from "zod";
import { MachineBehaviour } from "./behaviour.ts";
import { HostModel } from "./host-model.ts";
import { UsageStep } from "./usage.ts";

const seconds = z.number().min(0);

/** A step of a boot: this status, from `after` seconds after its start. */
export const StatusStep = z.strictObject({
  after: seconds,
  actual_status: z.string().nullable(),
  status_msg: z.string().nullable().optional(),
});

/** One step of an instance's boot. */
export type StatusStep = z.infer<typeof StatusStep>;

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
  /** Draws boots and what is broken; `statuses`, `machine` and `traffic` win over what is drawn. */
  model: HostModel.optional(),
  /** The host has the image already: it boots in 30 to 60 s and downloads nothing. */
  hasImage: z.boolean().optional(),
  /** Without it an instance moves nothing, and shows nothing of it. */
  traffic: Traffic.optional(),
  /** What its host reports of it, in the order of `after`; default: nothing. */
  usage: z.array(UsageStep).optional(),
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
