import { z } from "zod";
import type { Endpoint } from "../endpoint.ts";

/** A key of an instance, both by their ids. */
export interface KeyOfInstance {
  instanceId: number;
  keyId: number;
}

/** Lets a public key log in to an instance no more. Not in the specification. */
export const detachSshKey: Endpoint<KeyOfInstance, true> = {
  operation: "detach SSH key",
  method: "DELETE",
  path: ({ instanceId, keyId }) => `/api/v0/instances/${instanceId}/ssh/${keyId}/`,
  answer: z.unknown().transform(() => true as const),
  retry: "never",
  permission: "instance_write",
  intervalMs: 2000,
};
