import { apiKeyRow } from "../../rows/api-key-row.ts";
import type { Operation } from "../../service-world.ts";
import { ShapedRefusal, unknownPath } from "../../traffic/refusal.ts";

/**
 * `GET /api/v0/auth/apikeys/{id}/`: not shown in the specification. SPEC-SILENT: its answer; one
 * description has a bare text, the key itself. Taken to be the row of the list.
 */
export const getApiKey: Operation = ({ id }, { dialect, apiKeys }) => {
  if (dialect === "seed") throw unknownPath();
  const record = apiKeys.byId(id);
  if (!record) throw new ShapedRefusal(404, { msg: "API Key not found." });
  return { status: 200, body: apiKeyRow(record) };
};
