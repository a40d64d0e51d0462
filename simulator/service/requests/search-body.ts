import type { Template } from "../../scenario/template.ts";
import type { OfferRow } from "../rows/offer-row.ts";
import type { Dialect } from "../traffic/dialect.ts";
import { invalidRequest, NotSimulated } from "../traffic/refusal.ts";
import { compareRows } from "./comparison.ts";
import { type OfferTest, offerColumn, offerFilter } from "./offer-filter.ts";
import { filtersOfTemplate } from "./template-filters.ts";

/** A search, read and checked. */
export interface OfferSearch {
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
