import type { Operation } from "../service-world.ts";

/** `GET /api/v0/users/current/` */
export const currentUser: Operation = (_call, { user, books, dialect, sshKeys }) => {
  const credit = user.credit - books.total();
  const shown = { id: 50_210, email: "ci@example.com", credit, ssh_key: sshKeys.shown };
  if (dialect === "seed") return { status: 200, body: shown };
  const more = {
    username: "ci",
    fullname: null,
    balance: 0,
    balance_threshold: 0,
    balance_threshold_enabled: false,
    can_pay: true,
    has_billing: true,
    email_verified: true,
    billed_expected: 0,
    sid: "AC0000",
  };
  return { status: 200, body: { ...shown, ...more } };
};
