import { parseJson } from "../../http/read-body.ts";
import { type Dialect, invalidRequest } from "../traffic/refusal.ts";

/** A value that a filter can compare. */
export type Scalar = string | number | boolean | null;

/** A row of an answer that a search can look at. */
export type Row = Readonly<Record<string, unknown>>;

/** Numbers by size, all else as text; null is not comparable. */
function order(actual: Scalar, wanted: Scalar | undefined): number {
  if (actual === null || wanted === null || wanted === undefined) return Number.NaN;
  if (typeof actual === "number" && typeof wanted === "number") return actual - wanted;
  return String(actual) < String(wanted) ? -1 : Number(String(actual) > String(wanted));
}

/** The operators of filters; `wanted` holds one value, or for in and notin any number. */
const OPERATORS: Readonly<Record<string, (actual: Scalar, wanted: Scalar[]) => boolean>> = {
  eq: (actual, wanted) => wanted[0] === actual,
  neq: (actual, wanted) => wanted[0] !== actual,
  gt: (actual, wanted) => order(actual, wanted[0]) > 0,
  gte: (actual, wanted) => order(actual, wanted[0]) >= 0,
  lt: (actual, wanted) => order(actual, wanted[0]) < 0,
  lte: (actual, wanted) => order(actual, wanted[0]) <= 0,
  in: (actual, wanted) => wanted.includes(actual),
  notin: (actual, wanted) => !wanted.includes(actual),
};

/** A column that rows are sorted by. */
export interface SortColumn<Of> {
  readonly descending: boolean;
  readonly read: (row: Of) => Scalar;
}

/** Sorts rows by columns; rows that are equal in all of them keep their order. */
export function compareRows<Of>(columns: readonly SortColumn<Of>[]) {
  return (left: Of, right: Of): number => {
    for (const { descending, read } of columns) {
      const difference = order(read(left), read(right));
      if (difference) return descending ? -difference : difference;
    }
    return 0;
  };
}

/** A column that is searched, and how its values may be written. */
interface FilterTerms<Of> {
  readonly read: (row: Of) => Scalar;
  /** The type of its values; undefined: they are compared as they come. */
  readonly kind?: string;
  readonly dialect: Dialect;
  /** Operators that there are; default: all. */
  readonly operators?: readonly string[];
}

/**
 * Turns a filter `{<operator>: <value>, …}` into a test. Throws the service's 400 for an operator that
 * there is not, a null, or a value of another type.
 */
export function readFilter<Of>(field: string, filter: unknown, terms: FilterTerms<Of>): (row: Of) => boolean {
  if (filter === null) throw invalidRequest("query values can't be None");
  if (typeof filter !== "object" || Array.isArray(filter))
    throw invalidRequest(`${field} must be an object of operators`);
  const tests = Object.entries(filter).map(([operator, value]) => {
    const compare = Object.hasOwn(OPERATORS, operator) ? OPERATORS[operator] : undefined;
    const isKnown = terms.operators?.includes(operator) ?? true;
    if (!compare || !isKnown) throw invalidRequest(`${operator} is not a valid search op`);
    const wanted = wantedValues(field, [operator, value], terms);
    return (row: Of) => compare(terms.read(row), wanted);
  });
  return (row) => tests.every((test) => test(row));
}

function wantedValues(field: string, [operator, value]: [string, unknown], { kind, dialect }: FilterTerms<never>) {
  if (kind === undefined) return [value].flat() as Scalar[];
  const isListing = operator === "in" || operator === "notin";
  if (isListing && !Array.isArray(value)) throw invalidRequest(`${operator} takes an array`);
  return (isListing ? (value as unknown[]) : [value]).map((each) => {
    if (each === null) throw invalidRequest("query values can't be None");
    // The official client sends numbers and truth values as texts, which are taken; in the seed, types must fit.
    const read = dialect === "observed" && typeof each === "string" ? fromText(each, kind) : each;
    if (typeof read !== kind) throw invalidRequest(`${field} takes a ${kind}`);
    return read as Scalar;
  });
}

function fromText(text: string, kind: string): Scalar {
  if (kind === "number" && text.trim() !== "" && Number.isFinite(Number(text))) return Number(text);
  if (kind === "boolean" && /^(true|false)$/i.test(text)) return text.toLowerCase() === "true";
  return text;
}

/** The value of a column as it can be compared. */
export function cell(row: Row, column: string): Scalar {
  return (row[column] ?? null) as Scalar;
}

/** The columns of a row that were asked for; undefined or `*`: all. */
export function chosen(columns: readonly string[] | undefined): (row: Row) => Row {
  if (columns === undefined || columns.includes("*")) return (row) => row;
  return (row) => Object.fromEntries(columns.map((name) => [name, row[name] ?? null]));
}

/** Writes the place where the next page begins. */
export function writeToken(place: unknown): string {
  return Buffer.from(JSON.stringify(place)).toString("base64url");
}

/** Reads such a place; undefined for a text that is none. */
export function readToken(token: string): unknown {
  return parseJson(Buffer.from(token, "base64url").toString());
}
