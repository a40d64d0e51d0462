import { z } from "zod";

const figure = z.number().nullable().optional();

/**
 * What the host reports of an instance, from `after` seconds after its container came up; columns
 * that are left out are not reported. The units are the scenario's own: the vendor contradicts itself.
 */
export const UsageStep = z.strictObject({
  after: z.number().min(0),
  gpu_util: figure,
  gpu_temp: figure,
  cpu_util: figure,
  mem_usage: figure,
  mem_limit: figure,
  vmem_usage: figure,
  disk_usage: figure,
});

/** One report of a host. */
export type UsageStep = z.output<typeof UsageStep>;
