import { z } from "zod";
import type { Endpoint } from "../endpoint.ts";

/** Takes a public key off the account; instances that have it keep it. Not in the specification. */
export const deleteSshKey: Endpoint<number, true> = {
  operation: "delete SSH key",
  method: "DELETE",
  path: (id) => `/api/v0/ssh/${id}/`,
  answer: z.unknown().transform(() => true as const),
  retry: "never",
  permission: "user_write",
  intervalMs: 1000,
};
