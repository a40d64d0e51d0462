import { z } from "zod";

/** The user id of the account, which owns its team. */
export const ACCOUNT_ID = 50_210;

/** Someone of the account's team beside its owner. */
export const TeamMember = z.strictObject({
  id: z.int().positive(),
  email: z.string().default("member@example.com"),
  roles: z.array(z.string()).default(["member"]),
});

/** Someone of the account's team. */
export type TeamMember = z.output<typeof TeamMember>;
