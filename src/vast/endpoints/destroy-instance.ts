import { z } from "zod";
import type { Endpoint } from "../endpoint.ts";

/** Seed, Destroy an instance. Ends its billing; the caller must still see that it is gone. */
export const destroyInstanceCall: Endpoint<number, true> = {
  operation: "destroy an instance",
  method: "DELETE",
  path: (id) => `/api/v0/instances/${id}/`,
  answer: z.unknown().transform(() => true as const),
  retry: "destroy",
  permission: "instance_write",
  intervalMs: 3000,
};
