import { z } from "zod";
import { maybeNumber } from "./foreign.ts";

/** The account behind the key. `credit` in USD. */
export const userSchema = z.looseObject({ credit: maybeNumber });

export type User = z.infer<typeof userSchema>;
