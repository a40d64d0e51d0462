import type { Template } from "../../scenario/scenario.ts";
import type { OfferRow } from "../rows.ts";
import { type Dialect, invalidRequest, NotSimulated } from "../traffic/refusal.ts";
import { compareRows, OPERATORS, type Scalar } from "./comparison.ts";
import { filtersOfTemplate } from "./template-filters.ts";

/** Says whether a row passes. */
type OfferTest = (row: OfferRow) => boolean;

const SEED_OPERATORS = ["eq", "gte", "in"];

/** Filters that are no column of the answer, and the column of the row that they read. */
const VIRTUAL: Readonly<Record<string, (row: OfferRow) => Scalar>> = {
  verified: (row) => row.verification === "verified",
  datacenter: (row) => row.hosting_type === 1,
  // The answer says "Region, CC" or ", US"; the filter takes the two letters.
  geolocation: (row) => String(row.geolocation).slice(-2),
  driver_version: (row) => driverNumber(String(row.driver_version)),
  ubuntu_version: (row) => row.os_version ?? null,
  dphtotal: (row) => row.dph_total ?? null,
  gpu_totalram: (row) => row.gpu_total_ram ?? null,
};

/** 570.86.15 as 570086015, the number that the filter takes. */
function driverNumber(version: string): number {
  return Number(version.split(".").reduce((digits, part) => digits + part.padStart(3, "0"), ""));
}

function reader(field: string, sample: OfferRow): ((row: OfferRow) => Scalar) | undefined {
  const virtual = Object.hasOwn(VIRTUAL, field) ? VIRTUAL[field] : undefined;
  if (virtual) return virtual;
  return Object.hasOwn(sample, field) ? (row) => row[field] ?? null : undefined;
}

/** Reads a column by name for sorting; throws the service's 400 for an unknown name. */
export function offerColumn(field: string, sample: OfferRow): (row: OfferRow) => Scalar {
  const read = reader(field, sample);
  if (!read) throw invalidRequest(`${field} is not a valid search key`);
  return read;
}

/**
 * Turns a filter `{<operator>: <value>, …}` into a test. `sample`: any row, for columns and types.
 * Throws the service's 400 for an unknown column, an operator that the dialect lacks, a null or a
 * value of another type.
 */
export function offerFilter(field: string, filter: unknown, { sample, dialect }: FilterTerms): OfferTest {
  const read = offerColumn(field, sample);
  if (typeof filter !== "object" || filter === null || Array.isArray(filter)) {
    throw invalidRequest(filter === null ? "query values can't be None" : `${field} must be an object of operators`);
  }
  const kind = typeof read(sample);
  const tests = Object.entries(filter).map(([operator, value]) => {
    const compare = operatorOf(operator, dialect);
    const wanted = wantedValues(operator, value).map((each) => coerce(each, { kind, field, dialect }));
    // `rented: {eq: true}` means "also those that I rent", not "only those".
    if (field === "rented" && operator === "eq" && wanted[0] === true) return () => true;
    return (row: OfferRow) => compare(read(row), wanted);
  });
  return (row) => tests.every((test) => test(row));
}

interface FilterTerms {
  sample: OfferRow;
  dialect: Dialect;
}

function operatorOf(operator: string, dialect: Dialect) {
  const compare = Object.hasOwn(OPERATORS, operator) ? OPERATORS[operator] : undefined;
  if (!compare || (dialect === "seed" && !SEED_OPERATORS.includes(operator))) {
    throw invalidRequest(`${operator} is not a valid search op`);
  }
  return compare;
}

function wantedValues(operator: string, value: unknown): unknown[] {
  if (operator !== "in" && operator !== "notin") return [value];
  if (!Array.isArray(value)) throw invalidRequest(`${operator} takes an array`);
  return value;
}

interface Column {
  kind: string;
  field: string;
  dialect: Dialect;
}

/** The official client sends numbers as strings, which are taken; in the seed, types must fit. */
function coerce(value: unknown, { kind, field, dialect }: Column): Scalar {
  if (value === null || value === undefined) throw invalidRequest("query values can't be None");
  if (isFilterValue(value)) {
    if (typeof value === kind) return value;
    const read = dialect === "observed" && typeof value === "string" ? fromText(value, kind) : undefined;
    if (read !== undefined) return read;
  }
  throw invalidRequest(`${field} takes a ${kind}`);
}

function isFilterValue(value: unknown): value is string | number | boolean {
  return ["string", "number", "boolean"].includes(typeof value);
}

function fromText(text: string, kind: string): number | boolean | undefined {
  if (kind === "number" && text.trim() !== "" && Number.isFinite(Number(text))) return Number(text);
  if (kind === "boolean" && /^(true|false)$/i.test(text)) return text.toLowerCase() === "true";
  return undefined;
}

/** A search, read and checked. */
interface OfferSearch {
  readonly isBid: boolean;
  /** GB. */
  readonly allocatedStorage: number;
  readonly limit: number;
  readonly passes: OfferTest;
  readonly compare: (left: OfferRow, right: OfferRow) => number;
}

/** The service never gave more rows than this, whatever the limit said. */
const MOST_ROWS = 64;
/** SPEC-SILENT: GB in `dph_total` if the search doesn't say; the default disk of create. */
const DEFAULT_STORAGE = 8;

/** Control keys that the service takes and that change nothing here. */
const IGNORED = [
  "disable_bundling",
  "target_reliability",
  "extra_ids",
  "gpu_option",
  "sort_option",
  "show_incompatible",
];

/** Applied by the service when the search says nothing about it. */
const OBSERVED_DEFAULTS = { verified: { eq: true }, rentable: { eq: true }, rented: { eq: false } };

interface QueryTerms {
  dialect: Dialect;
  sample: OfferRow;
  /** Filters that a fault leaves unapplied; they are still checked. */
  ignored: readonly string[];
  templates: readonly Template[];
}

/** Reads a search's body by the dialect's rules; throws the 400 for what is not in them. */
export function readSearchBody(body: Readonly<Record<string, unknown>>, terms: QueryTerms): OfferSearch {
  const { dialect, sample, ignored } = terms;
  const { type, limit, order, allocated_storage, ...rest } = body;
  if (dialect === "seed" && allocated_storage !== undefined)
    throw invalidRequest("allocated_storage is not a valid search key");
  const filters = dialect === "observed" ? { ...OBSERVED_DEFAULTS, ...withoutControls(rest, terms) } : rest;
  const tests = Object.entries(filters).map(([field, filter]) => {
    const test = offerFilter(field, filter, { sample, dialect });
    return ignored.includes(field) ? () => true : test;
  });
  return {
    isBid: readType(type),
    allocatedStorage:
      allocated_storage === undefined ? DEFAULT_STORAGE : amount("allocated_storage", allocated_storage, dialect),
    limit: limit === undefined ? MOST_ROWS : Math.min(MOST_ROWS, amount("limit", limit, dialect)),
    passes: (row) => tests.every((test) => test(row)),
    compare: compareRows(readOrder(order, terms)),
  };
}

function withoutControls(
  { template_id, ...body }: Readonly<Record<string, unknown>>,
  { templates }: QueryTerms,
): Record<string, unknown> {
  const own = Object.entries(body).filter(([key]) => !IGNORED.includes(key));
  // Seed, Create rule 3: merged by key, and the request wins.
  return { ...filtersOfTemplate(template_id, templates), ...Object.fromEntries(own) };
}

function readType(type: unknown): boolean {
  if (type === undefined || type === "on-demand" || type === "ondemand") return false;
  if (type === "bid") return true;
  if (type === "reserved") throw new NotSimulated("reserved offers");
  throw invalidRequest(`type must be on-demand or bid`);
}

function amount(key: string, value: unknown, dialect: Dialect): number {
  const number = dialect === "observed" && typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  if (typeof number === "number" && Number.isFinite(number) && number >= 0) return number;
  throw invalidRequest(`${key} must be a number`);
}

function readOrder(order: unknown, { dialect, sample }: QueryTerms) {
  // The console's order; the seed names no default.
  const pairs = order ?? (dialect === "observed" ? [["score", "desc"]] : []);
  if (!Array.isArray(pairs)) throw invalidRequest("order must be an array of pairs");
  return pairs.map((pair: unknown) => {
    const [field, direction] = Array.isArray(pair) ? pair : [];
    if (typeof field !== "string") throw invalidRequest("order must be an array of pairs");
    if (direction !== "desc" && !(direction === "asc" && dialect === "observed")) {
      throw invalidRequest(`${direction} is not a valid order`);
    }
    return { descending: direction === "desc", read: offerColumn(field, sample) };
  });
}
