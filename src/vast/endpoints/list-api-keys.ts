import { z } from "zod";
import type { Endpoint } from "../endpoint.ts";
import { type ApiKey, apiKeySchema } from "../schemas/api-key.ts";
import { readableRows } from "../schemas/foreign.ts";

/** The account's keys that are not revoked. Not in the specification. */
export const listApiKeys: Endpoint<undefined, ApiKey[]> = {
  operation: "list API keys",
  method: "GET",
  path: () => "/api/v0/auth/apikeys/",
  answer: z.looseObject({ apikeys: readableRows(apiKeySchema) }).transform((body) => body.apikeys),
  retry: "read",
  permission: "user_read",
  intervalMs: 1000,
};
