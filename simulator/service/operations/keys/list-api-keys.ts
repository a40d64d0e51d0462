import { apiKeyRow } from "../../rows/api-key-row.ts";
import type { Operation } from "../../service-world.ts";
import { unknownPath } from "../../traffic/refusal.ts";

/** `GET /api/v0/auth/apikeys/`: living ones, no secrets. Not shown in the specification. */
export const listApiKeys: Operation = (_call, { dialect, apiKeys }) => {
  if (dialect === "seed") throw unknownPath();
  return { status: 200, body: { apikeys: apiKeys.records.filter(({ isDeleted }) => !isDeleted).map(apiKeyRow) } };
};
