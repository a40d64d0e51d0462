import { z } from "zod";
import type { Endpoint } from "../endpoint.ts";
import { type Instance, instanceSchema } from "../schemas/instance.ts";

/** Seed, Get one instance: `{instances: <object>}`; the service says null for one that is gone. */
export const getInstance: Endpoint<number, Instance | undefined> = {
  operation: "get one instance",
  method: "GET",
  path: (id) => `/api/v0/instances/${id}/`,
  answer: z.looseObject({ instances: instanceSchema.nullable() }).transform((body) => body.instances ?? undefined),
  retry: "read",
  permission: "instance_read",
  intervalMs: 2000,
};
