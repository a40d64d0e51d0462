import { z } from "zod";
import { aNumber, maybeString } from "./foreign.ts";

/** A public key that may log in; the service calls its text `key` or `public_key`. */
export const sshKeySchema = z
  .looseObject({ id: aNumber, key: maybeString, public_key: maybeString })
  .transform(({ id, key, public_key }) => ({ id, key: key ?? public_key ?? "" }));

/** A public key that may log in. */
export type SshKey = z.infer<typeof sshKeySchema>;
