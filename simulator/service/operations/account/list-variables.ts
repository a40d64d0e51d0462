import type { Operation } from "../../service-world.ts";
import { unknownPath } from "../../traffic/refusal.ts";

/** `GET /api/v0/secrets/`: the account's own variables. Not in the specification. */
export const listVariables: Operation = (_call, { dialect, user }) => {
  if (dialect === "seed") throw unknownPath();
  return {
    status: 200,
    body: { success: true, secrets: Object.fromEntries(user.variables.map((name) => [name, "***"])) },
  };
};
