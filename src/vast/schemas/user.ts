import { z } from "zod";
import { maybeNumber, maybeString } from "./foreign.ts";

/**
 * The account behind the key. `credit` in USD. `key_id`, which the specification does not show, is
 * the id of the key that asked.
 */
export const userSchema = z.looseObject({
  id: maybeNumber,
  email: maybeString,
  credit: maybeNumber,
  ssh_key: maybeString,
  key_id: maybeNumber,
});

/** The account behind the key. */
export type User = z.infer<typeof userSchema>;
