import type { Endpoint } from "../endpoint.ts";
import { type User, userSchema } from "../schemas/user.ts";

/** Seed, Current user. */
export const currentUser: Endpoint<undefined, User> = {
  operation: "current user",
  method: "GET",
  path: () => "/api/v0/users/current/",
  answer: userSchema,
  retry: "read",
  permission: "user_read",
  intervalMs: 0,
};
