import { z } from "zod";
import type { Report } from "../../machine/report.ts";

const maybe = z.number().optional();

const estimateSchema = z.object({
  minutes: z.number(),
  machine: z.number(),
  bytes: z.object({ imageGb: maybe, runnerGb: z.number(), usd: maybe }),
  most: z.number(),
  holder: z.object({ usdPerMinute: z.number(), usd: z.number() }),
});

/** A report as main wrote it down and post reads it. */
export const reportSchema: z.ZodType<Report> = z.object({
  instanceId: z.number(),
  offer: z.object({ id: z.number(), machine_id: maybe, gpu_name: z.string(), num_gpus: z.number() }),
  price: z.object({ total: z.number(), storage: z.number(), inetDown: maybe, inetUp: maybe }),
  at: z.object({
    searched: maybe,
    minted: maybe,
    asked: z.number(),
    created: maybe,
    running: maybe,
    online: maybe,
    gone: maybe,
  }),
  isGone: z.boolean().optional(),
  traffic: z.object({ downGb: z.number(), upGb: z.number() }).optional(),
  jobs: z
    .array(z.object({ name: z.string(), conclusion: z.string().optional(), seconds: maybe, started: maybe }))
    .optional(),
  isUnneeded: z.boolean().optional(),
  deadline: maybe,
  estimate: estimateSchema.optional(),
  last: z.string(),
});
