import { z } from "zod";
import type { Endpoint } from "../endpoint.ts";

/** A public key and the instance that it is for. */
export interface KeyForInstance {
  instanceId: number;
  publicKey: string;
}

/** Lets a public key log in to an instance. Not in the specification. */
export const attachSshKey: Endpoint<KeyForInstance, true> = {
  operation: "attach SSH key",
  method: "POST",
  path: ({ instanceId }) => `/api/v0/instances/${instanceId}/ssh/`,
  body: ({ publicKey }) => ({ ssh_key: publicKey }),
  answer: z.unknown().transform(() => true as const),
  retry: "never",
  permission: "instance_write",
  intervalMs: 1000,
};
