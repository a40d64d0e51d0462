import { ACCOUNT_ID } from "../../../scenario/team.ts";
import type { Operation } from "../../service-world.ts";
import { ShapedRefusal } from "../../traffic/refusal.ts";

/** `DELETE /api/v0/team/members/{id}`: equal in both dialects, as the seed shows its errors. */
export const removeTeamMember: Operation = ({ id }, { team, apiKeys }) => {
  if (id === ACCOUNT_ID) throw new ShapedRefusal(400, { msg: "The team owner cannot be removed." });
  const place = team.findIndex((member) => member.id === id);
  const message = "User is not a member of this team.";
  if (place < 0) throw new ShapedRefusal(404, { status: "failure", message });
  team.splice(place, 1);
  apiKeys.revokeOf(id);
  return { status: 200, body: { status: "success", message: "User removed from the team." } };
};
