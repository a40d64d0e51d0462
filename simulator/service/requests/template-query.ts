import { z } from "zod";
import type { Template } from "../../scenario/template.ts";
import type { Dialect } from "../traffic/dialect.ts";
import { invalidRequest } from "../traffic/refusal.ts";
import { compareRows, OPERATORS, type Scalar } from "./comparison.ts";
import { readJson } from "./query-json.ts";

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
export interface TemplateQuery {
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
