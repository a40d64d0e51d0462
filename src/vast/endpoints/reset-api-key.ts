import { z } from "zod";
import type { Endpoint } from "../endpoint.ts";

/** Gives the key that asks another secret, and brings it. Not in the specification. */
export const resetApiKey: Endpoint<undefined, string> = {
  operation: "reset API key",
  method: "PUT",
  path: () => "/api/v0/commands/reset_apikey/",
  body: () => ({ client_id: "me" }),
  answer: z.looseObject({ new_api_key: z.string().min(1) }).transform((body) => body.new_api_key),
  retry: "never",
  permission: "user_write",
  intervalMs: 2000,
};
