import { z } from "zod";
import { ACCOUNT_ID } from "../../scenario/scenario.ts";
import { addTemplate, changeTemplate, ownTemplate, templateRow, visibleTemplates } from "../account/template-book.ts";
import { chargeRows, readChargeQuery } from "../billing/books.ts";
import { readTemplate, readTemplateChanges, readTemplateQuery } from "../requests/template-body.ts";
import type { Operation } from "../service-world.ts";
import { notInTheSeed, Refusal, ShapedRefusal, unknownPath } from "../traffic/refusal.ts";

/** `POST /api/v0/template/` */
export const createTemplate: Operation = ({ body }, { templates, clock, dialect }) => {
  const template = templateRow(addTemplate(templates, readTemplate(body, dialect), clock.now() / 1000));
  if (dialect === "seed") return { status: 200, body: { template } };
  const msg = `Template Created Successfully! New Template ID: ${template.id}`;
  return { status: 200, body: { success: true, msg, template } };
};

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

const ById = z.strictObject({ template_id: z.int() });
const ByHash = z.strictObject({ hash_id: z.string() });

/** `DELETE /api/v0/template/`: by the numeric id; as observed also by the hash. */
export const deleteTemplate: Operation = ({ body }, { templates, dialect }) => {
  const byId = ById.safeParse(body).data;
  const byHash = dialect === "observed" ? ByHash.safeParse(body).data : undefined;
  if (!byId && !byHash) throw new Refusal(400, { error: "invalid_args", msg: "template_id must be a number" });
  const template = ownTemplate(templates, (each) =>
    byId ? each.id === byId.template_id : each.hash_id === byHash?.hash_id,
  );
  templates.splice(templates.indexOf(template), 1);
  return { status: 200, body: { success: true } };
};

/** `PUT /api/v0/template/`, by the hash; observed: `PUT /api/v1/template/`, by id and hash. */
export const editTemplate: Operation = ({ paged: isV1, body }, { templates, dialect }) => {
  if (isV1 && dialect === "seed") throw unknownPath();
  const { hash_id, id, ...rest } = body;
  if (typeof hash_id !== "string") throw missing("hash_id");
  if (isV1 && typeof id !== "number") throw missing("id");
  if (!isV1 && id !== undefined) throw new Refusal(400, { error: "invalid_args", msg: "id is not valid here" });
  const changes = readTemplateChanges(rest, dialect);
  const old = ownTemplate(templates, (each) => each.hash_id === hash_id && (!isV1 || each.id === id));
  const template = templateRow(changeTemplate(templates, old, changes));
  return { status: 200, body: dialect === "seed" ? { template } : { success: true, template } };
};

function missing(field: string): Refusal {
  return new Refusal(400, { error: "invalid_args", msg: `${field} is missing` });
}

const DEFAULT_LIMIT = 100;

/** `GET /api/v0/charges/`: not in the seed. Charges by contract. SPEC-SILENT: its lag; none. */
export const listCharges: Operation = ({ query }, world) => {
  notInTheSeed(world.dialect);
  const rows = chargeRows(readChargeQuery(query.get("select_filters")), world);
  if (query.get("latest_first") === "false") rows.reverse();
  const limit = readLimit(query.get("limit"));
  const from = readToken(query.get("after_token"));
  const results = rows.slice(from, from + limit);
  const next_token = from + limit < rows.length ? writeToken(from + limit) : null;
  return { status: 200, body: { success: true, count: results.length, total: rows.length, next_token, results } };
};

function readLimit(given: string | null): number {
  const limit = given === null ? DEFAULT_LIMIT : Number(given);
  if (Number.isInteger(limit) && limit > 0) return limit;
  throw new Refusal(400, { error: "invalid_args", msg: "limit must be a positive integer" });
}

function writeToken(from: number): string {
  return Buffer.from(JSON.stringify({ from })).toString("base64url");
}

function readToken(token: string | null): number {
  if (token === null || token === "") return 0;
  try {
    const { from } = JSON.parse(Buffer.from(token, "base64url").toString());
    if (Number.isInteger(from)) return from;
  } catch {
    // Told below, as any other text that is no token.
  }
  throw new Refusal(400, { error: "invalid_token", msg: "Invalid pagination token" });
}

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

/** `GET /api/v0/secrets/`: the account's own variables. Not in the specification. */
export const listVariables: Operation = (_call, { dialect, user }) => {
  if (dialect === "seed") throw unknownPath();
  return {
    status: 200,
    body: { success: true, secrets: Object.fromEntries(user.variables.map((name) => [name, "***"])) },
  };
};

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

/** `GET /api/v0/template/` */
export const searchTemplates: Operation = ({ query }, { templates, dialect }) => {
  const { passes, compare, columns } = readTemplateQuery(query, dialect);
  const found = visibleTemplates(templates).filter(passes).toSorted(compare).map(templateRow);
  if (dialect === "seed") return { status: 200, body: { templates: found } };
  // The service documents a "no" for a search that finds none.
  if (found.length === 0) return { status: 200, body: { success: false, msg: "No templates found" } };
  const rows = columns
    ? found.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => columns.includes(name))))
    : found;
  return { status: 200, body: { success: true, templates_found: rows.length, templates: rows } };
};
