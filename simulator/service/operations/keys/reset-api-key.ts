import { z } from "zod";
import type { Operation } from "../../service-world.ts";
import { Refusal, unknownPath } from "../../traffic/refusal.ts";

const Body = z.strictObject({ client_id: z.literal("me") });

/** `PUT /api/v0/commands/reset_apikey/`: not shown in the specification. */
export const resetApiKey: Operation = ({ body, caller }, { dialect, apiKeys }) => {
  if (dialect === "seed") throw unknownPath();
  if (!Body.safeParse(body).success) throw new Refusal(400, { error: "invalid_args", msg: "client_id must be me" });
  // SPEC-SILENT: which key is reset; the asker's, by the official client's help ("your api-key").
  const record = "keyId" in caller ? apiKeys.byId(caller.keyId) : undefined;
  if (!record) throw new Refusal(404, { error: "not_found", msg: "API Key not found." });
  return { status: 200, body: { success: true, new_api_key: apiKeys.reset(record) } };
};
