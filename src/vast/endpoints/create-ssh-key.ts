import { z } from "zod";
import type { Endpoint } from "../endpoint.ts";
import { type SshKey, sshKeySchema } from "../schemas/ssh-key.ts";

/** Registers a public key for instances created from then on. Not in the specification. */
export const createSshKey: Endpoint<string, SshKey> = {
  operation: "create SSH key",
  method: "POST",
  path: () => "/api/v0/ssh/",
  body: (publicKey) => ({ ssh_key: publicKey }),
  answer: z.looseObject({ key: sshKeySchema }).transform(({ key }) => key),
  retry: "never",
  permission: "user_write",
  intervalMs: 1000,
};
