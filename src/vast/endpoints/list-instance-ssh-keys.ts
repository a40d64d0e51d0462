import { z } from "zod";
import type { Endpoint } from "../endpoint.ts";
import { parseJson } from "../parse-json.ts";
import { readableRows } from "../schemas/foreign.ts";
import { type SshKey, sshKeySchema } from "../schemas/ssh-key.ts";

const rows = readableRows(sshKeySchema);

/** The public keys that may log in to an instance, as JSON in a text. Not in the specification. */
export const listInstanceSshKeys: Endpoint<number, SshKey[]> = {
  operation: "list an instance's SSH keys",
  method: "GET",
  path: (id) => `/api/v0/instances/${id}/ssh/`,
  answer: z.looseObject({ ssh_keys: z.unknown() }).transform(({ ssh_keys }, context) => {
    const read = rows.safeParse(typeof ssh_keys === "string" ? parseJson(ssh_keys) : ssh_keys);
    if (read.success) return read.data;
    context.addIssue({ code: "custom", path: ["ssh_keys"], message: "is no list of keys" });
    return z.NEVER;
  }),
  retry: "read",
  permission: "instance_read",
  intervalMs: 1000,
};
