import { apiKeyRow } from "../api-key-row.ts";
import { unknownPath } from "../refusal.ts";
import type { Operation } from "../service-world.ts";

/** `GET /api/v0/auth/apikeys/`: the living ones, without their secrets. Not shown in the specification. */
export const listApiKeys: Operation = (_call, { dialect, apiKeys }) => {
  if (dialect === "seed") throw unknownPath();
  return { status: 200, body: { apikeys: apiKeys.records.filter(({ isDeleted }) => !isDeleted).map(apiKeyRow) } };
};
