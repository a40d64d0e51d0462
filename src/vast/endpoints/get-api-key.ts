import { z } from "zod";
import type { Endpoint } from "../endpoint.ts";
import { type ApiKey, apiKeySchema } from "../schemas/api-key.ts";

/**
 * One key. Not in the specification. SPEC-SILENT: what it answers; taken to be a row of the list,
 * or the key itself as a bare text.
 */
export const getApiKey: Endpoint<number, ApiKey | string> = {
  operation: "show API key",
  method: "GET",
  path: (id) => `/api/v0/auth/apikeys/${id}/`,
  answer: z.union([z.string(), apiKeySchema]),
  retry: "read",
  permission: "user_read",
  intervalMs: 1000,
};
