import { z } from "zod";
import type { Endpoint } from "../endpoint.ts";
import { maybeNumber, maybeString } from "../schemas/foreign.ts";

/** Of which volume offer, and of how many GB. `name`: letters, digits and _, at most 64. */
export interface NewVolume {
  id: number;
  size: number;
  name?: string;
}

/** The new volume's id; undefined when the answer does not tell it. */
const answer = z
  .looseObject({ volume_id: maybeNumber, volume_name: maybeString })
  .transform(({ volume_id, volume_name }) => volume_id ?? idIn(volume_name));

/** Rents disk. Sent once and never again by itself. Not in the specification. */
export const createVolume: Endpoint<NewVolume, number | undefined> = {
  operation: "create a volume",
  method: "PUT",
  path: () => "/api/v0/volumes/",
  body: (volume) => volume,
  answer,
  retry: "never",
  permission: "instance_write",
  intervalMs: 5500,
};

/** Seen: the answer names it `V.123`. */
function idIn(name: string | undefined): number | undefined {
  const id = /^V\.(\d+)$/.exec(name ?? "")?.[1];
  return id === undefined ? undefined : Number(id);
}
