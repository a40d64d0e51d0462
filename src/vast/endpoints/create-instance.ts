import { z } from "zod";
import type { Endpoint } from "../endpoint.ts";
import { maybeBoolean, maybeId, maybeString } from "../schemas/foreign.ts";
import type { InstanceConfig } from "../schemas/instance-config.ts";

/** `new_contract` is the instance's id (seed, Create instance); errors were seen to have it. */
export const createAnswerSchema = z.looseObject({
  success: maybeBoolean,
  new_contract: maybeId,
  instance_api_key: maybeString,
});

export type CreateAnswer = z.infer<typeof createAnswerSchema>;

/** Rents. Sent once and never again by itself. */
export const createInstance: Endpoint<{ offerId: number; config: InstanceConfig }, CreateAnswer> = {
  operation: "create instance",
  method: "PUT",
  path: ({ offerId }) => `/api/v0/asks/${offerId}/`,
  body: ({ config }) => config,
  answer: createAnswerSchema,
  retry: "never",
  permission: "instance_write",
  intervalMs: 4500,
};
