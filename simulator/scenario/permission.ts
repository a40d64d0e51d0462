/** The key permissions; the seed shows only misc, user_read, instance_read, instance_write. */
export const PERMISSIONS = [
  "instance_read",
  "instance_write",
  "user_read",
  "user_write",
  "billing_read",
  "billing_write",
  "machine_read",
  "machine_write",
  "misc",
  "team_read",
  "team_write",
] as const;

/** One permission that a scoped key may hold. */
export type Permission = (typeof PERMISSIONS)[number];
