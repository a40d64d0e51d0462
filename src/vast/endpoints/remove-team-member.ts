import { z } from "zod";
import type { Endpoint } from "../endpoint.ts";

/** Seed, Remove team member: by user id. Revokes the keys that came with the membership. */
export const removeTeamMember: Endpoint<number, true> = {
  operation: "remove team member",
  method: "DELETE",
  path: (userId) => `/api/v0/team/members/${userId}`,
  answer: z.looseObject({ status: z.literal("success") }).transform(() => true as const),
  retry: "never",
  // SPEC-SILENT: which permission it needs; this is the one that the service documents elsewhere.
  permission: "team_write",
  intervalMs: 3000,
};
