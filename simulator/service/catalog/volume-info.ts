import { z } from "zod";

/** Seed, Volume configuration. SPEC-SILENT: the required fields; all but an existing one's size. */
export const SeedVolumeInfo = z
  .strictObject({
    create_new: z.boolean(),
    volume_id: z.int().positive(),
    size: z.number().positive().optional(),
    mount_path: z.string().regex(/^\/\S+$/),
  })
  .refine(({ create_new, size }) => !create_new || size !== undefined, { error: "size is needed with create_new" });

/** Observed: the official client sends a name beside. */
export const ObservedVolumeInfo = z
  .strictObject({
    ...SeedVolumeInfo.shape,
    name: z
      .string()
      .regex(/^[A-Za-z0-9_]{1,64}$/)
      .optional(),
  })
  .refine(({ create_new, size }) => !create_new || size !== undefined, { error: "size is needed with create_new" });

/** The volume that a create asks for. */
export type VolumeInfo = z.infer<typeof ObservedVolumeInfo>;
