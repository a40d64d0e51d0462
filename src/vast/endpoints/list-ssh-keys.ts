import type { Endpoint } from "../endpoint.ts";
import { readableRows } from "../schemas/foreign.ts";
import { type SshKey, sshKeySchema } from "../schemas/ssh-key.ts";

/** The account's public keys; with none the service answers 404. Not in the specification. */
export const listSshKeys: Endpoint<undefined, SshKey[]> = {
  operation: "list SSH keys",
  method: "GET",
  path: () => "/api/v0/ssh/",
  answer: readableRows(sshKeySchema),
  retry: "read",
  permission: "user_read",
  intervalMs: 1000,
};
