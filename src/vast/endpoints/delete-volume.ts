import { z } from "zod";
import type { Endpoint } from "../endpoint.ts";

/**
 * Ends a volume and its bill. Not in the specification; its id goes in the query, as the service's
 * own client sends it: that a DELETE's body arrives is nobody's promise.
 */
export const deleteVolume: Endpoint<number, true> = {
  operation: "delete a volume",
  method: "DELETE",
  path: () => "/api/v0/volumes/",
  query: (id) => ({ id: String(id) }),
  answer: z.unknown().transform(() => true as const),
  retry: "destroy",
  permission: "instance_write",
  intervalMs: 5500,
};
