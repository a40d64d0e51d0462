import { z } from "zod";
import { TemplateContent } from "../../scenario/scenario.ts";
import { type Dialect, invalidRequest } from "../traffic/refusal.ts";
import { cell, chosen, type Row, readFilter } from "./filters.ts";
import { type Body, readFields, readJson, withoutNulls } from "./request-body.ts";

const { name, image, tag, docker_login_repo, docker_login_user, docker_login_pass } = TemplateContent.shape;
const given = <Shape extends z.ZodType>(shape: z.ZodDefault<Shape>) => shape.unwrap();

/** Seed, Template: an image without its tag; the login must be there, and may be empty. */
const SeedContent = TemplateContent.omit({ readme_visible: true }).extend({
  name: given(name).min(1),
  image: image.regex(/^[^:@\s]+(:\d+\/[^:@\s]+)?$/, { error: "the tag belongs in tag" }),
  docker_login_repo: given(docker_login_repo),
  docker_login_user: given(docker_login_user),
  docker_login_pass: given(docker_login_pass),
  extra_filters: z.record(z.string(), z.unknown()).default({}),
});

/** Observed: only name and image are needed, null counts as left out, the disk may be a text. */
const ObservedContent = TemplateContent.extend({
  name: given(name).min(1),
  tag: given(tag).optional(),
  recommended_disk_space: z.coerce.number().positive().default(8),
});

/** Reads the body of create template; throws the 400 that names what is wrong. */
export function readTemplate(body: Body, dialect: Dialect): TemplateContent {
  if (dialect === "seed") return TemplateContent.parse(readFields(SeedContent, body));
  const content = readFields(ObservedContent, withoutNulls(body));
  return TemplateContent.parse({ ...content, ...splitTag(content.image, content.tag) });
}

/**
 * Reads an edit's changes without `hash_id` and `id`; throws the 400. A default is no change.
 * SPEC-SILENT: null in an edit, and an empty `runtype`, which is taken; "unchanged": the official client's
 * flags that were not given.
 */
export function readTemplateChanges(body: Body, dialect: Dialect): Body {
  const { runtype, ...rest } = withoutNulls(body);
  const hasRuntype = runtype !== undefined && runtype !== "";
  const given = dialect === "seed" ? body : { ...rest, ...(hasRuntype && { runtype }) };
  const shape = dialect === "seed" ? SeedContent : ObservedContent;
  const read = readFields(shape.partial(), given);
  const changes = Object.fromEntries(Object.entries(read).filter(([field]) => Object.hasOwn(given, field)));
  return typeof changes.image === "string" && dialect === "observed"
    ? { ...changes, ...splitTag(changes.image, changes.tag as string | undefined, false) }
    : changes;
}

/** SPEC-SILENT: an image with a tag in it; taken apart as observed, refused in the seed. */
function splitTag(full: string, tag: string | undefined, withDefault = true) {
  const [, path = full, own] = /^(.*?)(?::([^:/@]+))?$/.exec(full) ?? [];
  const found = tag ?? own ?? (withDefault ? "latest" : undefined);
  return { image: path, ...(found !== undefined && { tag: found }) };
}

/** The fields that can be filtered, by their types. Seed, Search templates; the official client's list has one more. */
const FILTERABLE = Object.entries({
  number: ["creator_id", "created_at", "count_created", "id", "recent_create_date", "recommended_disk_space"],
  string: ["default_tag", "docker_login_repo", "image", "hash_id", "name", "tag"],
  boolean: ["jup_direct", "recommended", "ssh_direct", "use_ssh", "private"],
});

const Filters = z.record(z.string(), z.record(z.string(), z.unknown()));
const PARAMETERS = { seed: ["select_filters"], observed: ["select_filters", "select_cols"] };

/** Reads the query; throws the 400 for a field, operator or value unknown to the dialect. */
export function readTemplateQuery(query: URLSearchParams, dialect: Dialect) {
  const other = [...query.keys()].find((key) => !PARAMETERS[dialect].includes(key));
  if (other !== undefined) throw invalidRequest(`${other} is not known`);
  const tests = Object.entries(readJson(query, "select_filters", Filters) ?? {}).map(([field, filter]) =>
    readFilter<Row>(field, filter, { read: (row) => cell(row, field), kind: kindOf(field, dialect), dialect }),
  );
  const show = chosen(readJson(query, "select_cols", z.array(z.string())));
  return { passes: (row: Row) => tests.every((test) => test(row)), show };
}

function kindOf(field: string, dialect: Dialect): string {
  const [kind] = FILTERABLE.find(([, fields]) => fields.includes(field)) ?? [];
  if (kind === undefined || (dialect === "seed" && field === "private"))
    throw invalidRequest(`${field} is not a valid search key`);
  return kind;
}
