import type { Operation } from "../../service-world.ts";
import { ShapedRefusal, unknownPath } from "../../traffic/refusal.ts";

/** `DELETE /api/v0/auth/apikeys/{id}/`: answers a bare text. Not shown in the specification. */
export const deleteApiKey: Operation = ({ id }, { dialect, apiKeys }) => {
  if (dialect === "seed") throw unknownPath();
  const record = apiKeys.byId(id);
  if (!record) throw new ShapedRefusal(404, { msg: "API Key not found." });
  if (record.kind === "primary") throw new ShapedRefusal(400, { msg: "You cannot delete your primary key." });
  record.isDeleted = true;
  return { status: 200, body: "Successfully Deleted API Key" };
};
