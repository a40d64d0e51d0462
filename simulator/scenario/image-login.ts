import { z } from "zod";

/** Who may pull the images of a registry; `registry` with its port, or without for every port. */
export const ImageLogin = z.strictObject({ registry: z.string(), username: z.string(), token: z.string() });

/** Who may pull the images of a registry. */
export type ImageLogin = z.infer<typeof ImageLogin>;
