import { z } from "zod";
import { MachineBehaviour } from "./behaviour.ts";
import { HostModel } from "./host-model.ts";

const seconds = z.number().min(0);

/** One step of an instance's boot: `after` seconds from the start of the boot it shows this status. */
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

/** What an instance moves over its host's line. GB are of a thousand million bytes. */
export const Traffic = z.strictObject({
  /** What the image makes it download before its container is up for the first time. */
  imageGb: z.number().min(0).default(0),
  /** While its container is up. */
  downGbPerHour: z.number().min(0).default(0),
  upGbPerHour: z.number().min(0).default(0),
});

/** What an instance moves over its host's line. */
export type Traffic = z.output<typeof Traffic>;

/** What stands behind an offer, which no search shows. */
export const Simulate = z.strictObject({
  /** The boot of an instance from its creation; the last step stays, so one that ends with loading is stuck there. */
  statuses: StatusSteps.optional(),
  machine: MachineBehaviour.optional(),
  /** Draws boots and what is broken; `statuses`, `machine` and `traffic` win over what is drawn. */
  model: HostModel.optional(),
  /** The host has the image already: it boots in 30 to 60 s and downloads nothing. */
  hasImage: z.boolean().optional(),
  /** Without it an instance moves nothing, and shows nothing of it. */
  traffic: Traffic.optional(),
  /** Someone else has the machine though search still shows the offer. */
  unavailable: z.boolean().optional(),
  /** Another create that comes within so many seconds is taken, too; its container finds the ports of the first one bound. */
  takenTwiceWithin: seconds.optional(),
  /** Somebody bids more, so many seconds after the creation of an instance: it is stopped if it is interruptible. */
  outbidAfter: seconds.optional(),
  /** What the container gets as CONTAINER_API_KEY: its own key (default), none, or one that the service refuses. */
  instanceKey: z.enum(["valid", "missing", "wrong"]).optional(),
});

/** What stands behind an offer. */
export type Simulate = z.infer<typeof Simulate>;
