import { z } from "zod";
import type { Endpoint } from "../endpoint.ts";

/** Seed, Delete template: a number is its id. A text is its hash, not in the specification. */
export const deleteTemplate: Endpoint<number | string, true> = {
  operation: "delete template",
  method: "DELETE",
  path: () => "/api/v0/template/",
  body: (template) => (typeof template === "number" ? { template_id: template } : { hash_id: template }),
  answer: z.looseObject({ success: z.boolean().optional() }).transform(() => true as const),
  retry: "never",
  permission: "user_write",
  intervalMs: 3000,
};
