import { ACCOUNT_ID } from "../../../scenario/team.ts";
import type { Operation } from "../../service-world.ts";
import { unknownPath } from "../../traffic/refusal.ts";

/** `GET /api/v0/team/members/`: not in the specification. */
export const listTeamMembers: Operation = (_call, { dialect, team }) => {
  if (dialect === "seed") throw unknownPath();
  const owner = {
    id: ACCOUNT_ID,
    username: "ci",
    email: "ci@example.com",
    fullname: "CI Account",
    roles: ["team_owner"],
  };
  const others = team.map(({ id, email, roles }) => ({
    ...{ id, username: `user-${id}`, email, fullname: `User ${id}` },
    roles,
  }));
  return { status: 200, body: [owner, ...others] };
};
