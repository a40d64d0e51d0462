import { createHash } from "node:crypto";
import { ACCOUNT_ID, Template, TemplateContent } from "../../scenario/scenario.ts";
import { refusal } from "../traffic/refusal.ts";

const FIRST_ID = 31_000;

/**
 * Stores a template, or gives the one with the same content, as the hash is derived from that.
 * SPEC-SILENT: a second create of the same content; it was observed to find the first.
 */
export function addTemplate(templates: Template[], content: TemplateContent, nowSeconds: number): Template {
  const same = templates.find((each) => isOwn(each) && textOf(each) === textOf(content));
  if (same) return same;
  const id = Math.max(FIRST_ID, ...templates.map((each) => each.id)) + 1;
  const template = Template.parse({ ...content, id, hash_id: hashOf(content, 0), created_at: nowSeconds });
  templates.push(template);
  return template;
}

/** Replaces a template: another hash, the same id. Instances keep what they were made of. */
export function changeTemplate(templates: Template[], old: Template, changes: object): Template {
  const content = Content.parse({ ...old, ...changes });
  // The old hash goes in, too: the seed promises another one after each edit, whatever was changed.
  const changed: Template = { ...old, ...content, hash_id: hashOf(content, old.hash_id) };
  templates[templates.indexOf(old)] = changed;
  return changed;
}

/** The account's own template that is meant; throws 404 for none, 403 for somebody else's. */
export function ownTemplate(templates: readonly Template[], isMeant: (each: Template) => boolean): Template {
  const meant = templates.filter(isMeant);
  const own = meant.find(isOwn);
  if (own) return own;
  if (meant.length === 0) throw refusal(404, "not_found", "error 404/3610: template not found.");
  throw refusal(403, "not_authorized", "Only its creator may change a template.");
}

/** Templates that the account can see: its own, and everybody's that are not private. */
export function visibleTemplates(templates: readonly Template[]): Template[] {
  return templates.filter((each) => isOwn(each) || !each.private);
}

/** A template as the service shows it: without its login. */
export function templateRow({ docker_login_user: _user, docker_login_pass: _pass, ...shown }: Template) {
  return shown;
}

function isOwn({ creator_id }: Template): boolean {
  return creator_id === ACCOUNT_ID;
}

/** A template without what makes it one of a store. */
const Content = TemplateContent.strip();

function textOf(template: TemplateContent): string {
  return JSON.stringify(Content.parse(template));
}

function hashOf(content: TemplateContent, before: string | 0): string {
  const text = `${before} ${textOf(content)}`;
  return createHash("md5").update(text).digest("hex");
}
