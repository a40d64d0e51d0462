import { z } from "zod";
import { aNumber, maybeNumber, maybeString } from "./foreign.ts";

/**
 * Room for a volume on a machine: `disk_space` in GB, `storage_cost` in USD per GB and month. Not
 * in the specification.
 */
export const volumeOfferSchema = z.looseObject({
  id: aNumber,
  machine_id: maybeNumber,
  disk_space: maybeNumber,
  storage_cost: maybeNumber,
});

export type VolumeOffer = z.infer<typeof volumeOfferSchema>;

/** A volume; `instances`: ids of its users. The specification shows no field of it. */
export const volumeSchema = z.looseObject({
  id: aNumber,
  machine_id: maybeNumber,
  disk_space: maybeNumber,
  status: maybeString,
  label: maybeString,
  instances: z.array(aNumber).optional().catch(undefined),
});

export type Volume = z.infer<typeof volumeSchema>;
