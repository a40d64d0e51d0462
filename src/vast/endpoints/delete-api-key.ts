import { z } from "zod";
import type { Endpoint } from "../endpoint.ts";

/** Revokes a key; the answer is a bare text. Not in the specification. */
export const deleteApiKey: Endpoint<number, true> = {
  operation: "delete API key",
  method: "DELETE",
  path: (id) => `/api/v0/auth/apikeys/${id}/`,
  answer: z.unknown().transform(() => true as const),
  retry: "never",
  permission: "user_write",
  intervalMs: 2000,
};
