import type { OfferRow } from "../rows/offer-row.ts";
import type { Dialect } from "../traffic/dialect.ts";
import { invalidRequest } from "../traffic/refusal.ts";
import { OPERATORS, type Scalar } from "./comparison.ts";

/** Says whether a row passes. */
export type OfferTest = (row: OfferRow) => boolean;

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
