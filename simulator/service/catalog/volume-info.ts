import { z } from "zod";

/** Seed, Volume configuration. SPEC-SILENT: which of its fields are required; all but the size of a volume that exists. */
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

/** What a create asks for. */
export type VolumeInfo = z.infer<typeof ObservedVolumeInfo>;
