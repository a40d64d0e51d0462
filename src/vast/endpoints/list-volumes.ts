import { z } from "zod";
import type { Endpoint } from "../endpoint.ts";
import { type Volume, volumeSchema } from "../schemas/volume.ts";

/** The account's volumes. Not in the specification. */
export const listVolumes: Endpoint<undefined, Volume[]> = {
  operation: "list volumes",
  method: "GET",
  path: () => "/api/v0/volumes",
  query: () => ({ owner: "me", type: "all_volume" }),
  answer: z.looseObject({ volumes: z.array(volumeSchema) }).transform((body) => body.volumes),
  retry: "read",
  permission: "instance_read",
  intervalMs: 5500,
};
