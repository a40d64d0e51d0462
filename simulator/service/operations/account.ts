import { z } from "zod";
import { ACCOUNT_ID, type Template } from "../../scenario/scenario.ts";
import { addTemplate, changeTemplate, ownTemplate, templateRow, visibleTemplates } from "../account/template-book.ts";
import { chargeRows, readChargeQuery } from "../billing/books.ts";
import { shownKeys } from "../rentals/instance-record.ts";
import { readToken, writeToken } from "../requests/filters.ts";
import { readAs } from "../requests/request-body.ts";
import { readTemplate, readTemplateChanges, readTemplateQuery } from "../requests/template-body.ts";
import { type Call, done, type Operation, type Operations, ok, type ServiceWorld } from "../service-world.ts";
import { invalidArgs, Refusal, refusal } from "../traffic/refusal.ts";

function made({ body }: Call, { templates, clock, dialect }: ServiceWorld): Partial<Template> & { id: number } {
  return templateRow(addTemplate(templates, readTemplate(body, dialect), clock.now() / 1000));
}

const ById = z.strictObject({ template_id: z.int() });
const ByHash = z.strictObject({ hash_id: z.string() });

/** By the numeric id; as observed also by the hash. */
const deleteTemplate: Operation = ({ body }, { templates, dialect }) => {
  const Meant = dialect === "observed" ? z.union([ById, ByHash]) : ById;
  const meant = readAs(Meant, body, "template_id must be a number");
  const template = ownTemplate(templates, ({ id, hash_id }) =>
    "template_id" in meant ? id === meant.template_id : hash_id === meant.hash_id,
  );
  templates.splice(templates.indexOf(template), 1);
  return done();
};

/** By the hash; under `/api/v1/` by id and hash. */
const editTemplate: Operation = ({ isSecond: isV1, body }, { templates, dialect }) => {
  const { hash_id, id, ...rest } = body;
  if (typeof hash_id !== "string") throw invalidArgs("hash_id is missing");
  if (isV1 && typeof id !== "number") throw invalidArgs("id is missing");
  if (!isV1 && id !== undefined) throw invalidArgs("id is not valid here");
  const changes = readTemplateChanges(rest, dialect);
  const old = ownTemplate(templates, (each) => each.hash_id === hash_id && (!isV1 || each.id === id));
  const template = templateRow(changeTemplate(templates, old, changes));
  return dialect === "seed" ? ok({ template }) : done({ template });
};

const searchTemplates: Operation = ({ query }, { templates, dialect }) => {
  const { passes, show } = readTemplateQuery(query, dialect);
  const found = visibleTemplates(templates).filter(passes).map(templateRow);
  if (dialect === "seed") return ok({ templates: found });
  // The service documents a "no" for a search that finds none.
  if (found.length === 0) return ok({ success: false, msg: "No templates found" });
  return done({ templates_found: found.length, templates: found.map(show) });
};

function seedUser({ user, books, sshKeys }: ServiceWorld) {
  return {
    id: ACCOUNT_ID,
    email: "ci@example.com",
    credit: user.credit - books.total(),
    ssh_key: shownKeys(sshKeys.all),
  };
}

const currentUser: Operation = ({ caller }, world) =>
  ok({
    ...seedUser(world),
    username: "ci",
    fullname: null,
    balance: 0,
    balance_threshold: 0,
    balance_threshold_enabled: false,
    can_pay: true,
    has_billing: true,
    email_verified: world.user.email_verified,
    billed_expected: 0,
    sid: "AC0000",
    key_id: "keyId" in caller ? caller.keyId : null,
  });

const DEFAULT_LIMIT = 100;

/** Charges by contract. SPEC-SILENT: its lag; none. */
const listCharges: Operation = ({ query }, world) => {
  const rows = chargeRows(readChargeQuery(query.get("select_filters")), world);
  if (query.get("latest_first") === "false") rows.reverse();
  const limit = Number(query.get("limit") ?? DEFAULT_LIMIT);
  if (!Number.isInteger(limit) || limit <= 0) throw invalidArgs("limit must be a positive integer");
  const place = z.object({ from: z.int() }).safeParse(readToken(query.get("after_token") || writeToken({ from: 0 })));
  if (!place.success) throw refusal(400, "invalid_token", "Invalid pagination token");
  const end = place.data.from + limit;
  const results = rows.slice(place.data.from, end);
  const next_token = end < rows.length ? writeToken({ from: end }) : null;
  return done({ count: results.length, total: rows.length, next_token, results });
};

const listTeamMembers: Operation = (_call, { team }) => {
  const owner = { id: ACCOUNT_ID, username: "ci", email: "ci@example.com", fullname: "CI Account" };
  const others = team.map(({ id, email }) => ({ id, username: `user-${id}`, email, fullname: `User ${id}` }));
  return ok([{ ...owner, roles: ["team_owner"] }, ...others.map((other) => ({ ...other, roles: ["member"] }))]);
};

/** The seed shows its errors. */
const removeTeamMember: Operation = ({ id }, { team, apiKeys }) => {
  if (id === ACCOUNT_ID) throw new Refusal(400, { msg: "The team owner cannot be removed." });
  const place = team.findIndex((member) => member.id === id);
  if (place < 0) throw new Refusal(404, { status: "failure", message: "User is not a member of this team." });
  team.splice(place, 1);
  for (const key of apiKeys.all.filter(({ member }) => member === id)) apiKeys.remove(key);
  return ok({ status: "success", message: "User removed from the team." });
};

/** The account, its templates, its team and what it was charged. */
export const ACCOUNT_OPERATIONS: Operations = {
  both: { searchTemplates, editTemplate, deleteTemplate, removeTeamMember },
  seed: {
    createTemplate: (call, world) => ok({ template: made(call, world) }),
    currentUser: (_call, world) => ok(seedUser(world)),
  },
  observed: {
    ...{ currentUser, listCharges, listTeamMembers },
    createTemplate(call, world) {
      const template = made(call, world);
      return done({ msg: `Template Created Successfully! New Template ID: ${template.id}`, template });
    },
    /** The account's own variables. */
    listVariables: (_call, { user }) =>
      done({ secrets: Object.fromEntries(user.variables.map((name) => [name, "***"])) }),
  },
};
