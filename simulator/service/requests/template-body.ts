import { z } from "zod";
import { type Template, TemplateContent } from "../../scenario/scenario.ts";
import { type Dialect, invalidRequest, Refusal } from "../traffic/refusal.ts";
import { compareRows, OPERATORS, type Scalar } from "./comparison.ts";
import { readJson } from "./request-body.ts";

type Body = Readonly<Record<string, unknown>>;

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
  if (dialect === "seed") {
    return TemplateContent.parse(checked(SeedContent, body));
  }
  const content = checked(ObservedContent, withoutNulls(body));
  return TemplateContent.parse({ ...content, ...splitTag(content.image, content.tag) });
}

/** Reads an edit's changes without `hash_id` and `id`; throws the 400. A default is no change. */
export function readTemplateChanges(body: Body, dialect: Dialect): Body {
  const given = dialect === "seed" ? body : withoutEmptyRuntype(withoutNulls(body));
  const shape = dialect === "seed" ? SeedContent : ObservedContent;
  const read = checked(shape.partial(), given);
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

function checked<Shape extends z.ZodType>(shape: Shape, body: Body): z.output<Shape> {
  const parsed = shape.safeParse(body);
  if (parsed.success) return parsed.data;
  // Only names and reasons: values may be secrets.
  const sentences = parsed.error.issues.map(({ path, message }) =>
    [path.join("."), message].filter(Boolean).join(": "),
  );
  throw new Refusal(400, { error: "invalid_args", msg: sentences.join("; ") });
}

/** SPEC-SILENT: an empty `runtype` in an edit, which is taken; here "unchanged" like null. */
function withoutEmptyRuntype({ runtype, ...body }: Body): Body {
  return runtype === undefined || runtype === "" ? body : { ...body, runtype };
}

/** SPEC-SILENT: null in an edit; "unchanged": the official client's flags that were not given. */
function withoutNulls(body: Body): Body {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
}

type Kind = "number" | "string" | "boolean";
type Row = Readonly<Record<string, unknown>>;

/** Seed, Search templates: the fields that can be filtered, with their types. */
const FILTERABLE: Readonly<Record<string, Kind>> = {
  creator_id: "number",
  created_at: "number",
  count_created: "number",
  default_tag: "string",
  docker_login_repo: "string",
  id: "number",
  image: "string",
  jup_direct: "boolean",
  hash_id: "string",
  name: "string",
  recent_create_date: "number",
  recommended_disk_space: "number",
  recommended: "boolean",
  ssh_direct: "boolean",
  tag: "string",
  use_ssh: "boolean",
};
/** The official client's list has one more. */
const OBSERVED_TOO: Readonly<Record<string, Kind>> = { private: "boolean" };

const Filters = z.record(z.string(), z.record(z.string(), z.unknown()));
const Columns = z.array(z.string());

/** A search, read and checked. */
interface TemplateQuery {
  readonly passes: (template: Template) => boolean;
  readonly compare: (left: Template, right: Template) => number;
  /** Undefined: all columns. */
  readonly columns: readonly string[] | undefined;
}

/** Reads the query; throws the 400 for a field, operator or value unknown to the dialect. */
export function readTemplateQuery(query: URLSearchParams, dialect: Dialect): TemplateQuery {
  refuseUnknown(query, dialect);
  const fields = dialect === "seed" ? FILTERABLE : { ...FILTERABLE, ...OBSERVED_TOO };
  const filters = readJson(query, "select_filters", Filters) ?? {};
  const tests = Object.entries(filters).flatMap(([field, operators]) => {
    const terms = { kind: kindOf(field, fields), dialect };
    return Object.entries(operators).map((condition) => readTest(field, condition, terms));
  });
  const columns = readJson(query, "select_cols", Columns);
  const order = query.get("order_by");
  if (order !== null) kindOf(order, fields);
  return {
    passes: (template) => tests.every((test) => test(template)),
    compare: order === null ? () => 0 : compareRows([{ descending: false, read: (row: Row) => cell(row, order) }]),
    columns: columns?.includes("*") ? undefined : columns,
  };
}

function refuseUnknown(query: URLSearchParams, dialect: Dialect): void {
  const known = dialect === "seed" ? ["select_filters"] : ["select_filters", "select_cols", "order_by"];
  const other = [...query.keys()].find((key) => !known.includes(key));
  if (other !== undefined) throw invalidRequest(`${other} is not known`);
}

function kindOf(field: string, fields: Readonly<Record<string, Kind>>): Kind {
  const kind = Object.hasOwn(fields, field) ? fields[field] : undefined;
  if (kind === undefined) throw invalidRequest(`${field} is not a valid search key`);
  return kind;
}

interface Terms {
  kind: Kind;
  dialect: Dialect;
}

function readTest(field: string, [operator, value]: [string, unknown], terms: Terms): (row: Row) => boolean {
  const compare = Object.hasOwn(OPERATORS, operator) ? OPERATORS[operator] : undefined;
  if (!compare) throw invalidRequest(`${operator} is not a valid search op`);
  const isListing = operator === "in" || operator === "notin";
  if (isListing !== Array.isArray(value))
    throw invalidRequest(`${field}: ${operator} takes ${isListing ? "an" : "no"} array`);
  const wanted = [value].flat().map((each) => coerce(field, each, terms));
  return (row) => compare(cell(row, field), wanted);
}

/** The official client sends numbers and truth values as texts; the seed shows only fit types. */
function coerce(field: string, value: unknown, { kind, dialect }: Terms): Scalar {
  const read = dialect === "observed" && typeof value === "string" ? fromText(value, kind) : value;
  if (typeof read !== kind) throw invalidRequest(`${field} takes a ${kind}`);
  return read as Scalar;
}

function fromText(text: string, kind: Kind): unknown {
  if (kind === "number" && text.trim() !== "") return Number.isFinite(Number(text)) ? Number(text) : text;
  if (kind === "boolean" && /^(true|false)$/i.test(text)) return text.toLowerCase() === "true";
  return text;
}

function cell(row: Row, field: string): Scalar {
  return (row[field] ?? null) as Scalar;
}
