import { ACCOUNT_ID } from "../../../scenario/team.ts";
import type { Operation } from "../../service-world.ts";

/** `GET /api/v0/users/current/` */
export const currentUser: Operation = ({ caller }, { user, books, dialect, sshKeys }) => {
  const credit = user.credit - books.total();
  const shown = { id: ACCOUNT_ID, email: "ci@example.com", credit, ssh_key: sshKeys.shown };
  if (dialect === "seed") return { status: 200, body: shown };
  const more = {
    username: "ci",
    fullname: null,
    balance: 0,
    balance_threshold: 0,
    balance_threshold_enabled: false,
    can_pay: true,
    has_billing: true,
    email_verified: user.isEmailVerified,
    billed_expected: 0,
    sid: "AC0000",
    key_id: "keyId" in caller ? caller.keyId : null,
  };
  return { status: 200, body: { ...shown, ...more } };
};
