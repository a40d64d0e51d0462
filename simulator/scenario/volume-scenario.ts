import { z } from "zod";

/** Room for volumes on a machine, as shown. `storage_cost` in USD per GB and month of 720 h. */
export const VolumeOffer = z.strictObject({
  id: z.int().positive(),
  machine_id: z.int().positive(),
  /** GB. */
  disk_space: z.number().positive().default(200),
  storage_cost: z.number().min(0).default(0.15),
});

/** Room for volumes on a machine. */
export type VolumeOffer = z.output<typeof VolumeOffer>;

/** A volume that the account has from the start. */
export const GivenVolume = z.strictObject({
  id: z.int().positive(),
  machine_id: z.int().positive(),
  /** GB. */
  disk_space: z.number().positive().default(50),
  storage_cost: z.number().min(0).default(0.15),
  name: z.string().nullable().default(null),
});

/** A volume that the account has from the start. */
export type GivenVolume = z.output<typeof GivenVolume>;
