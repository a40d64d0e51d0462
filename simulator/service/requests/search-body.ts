import type { OfferRow } from "../rows.ts";
import { type Dialect, invalidRequest, notSimulated } from "../traffic/refusal.ts";
import { compareRows, readFilter, type Scalar, type SortColumn } from "./filters.ts";
import type { Body } from "./request-body.ts";

type OfferTest = (row: OfferRow) => boolean;
type Reader = (row: OfferRow) => Scalar;

const SEED_OPERATORS = ["eq", "gte", "in"];

/** Filters that are no column of the answer, and the column of the row that they read. */
const VIRTUAL: Readonly<Record<string, Reader>> = {
  verified: (row) => row.verification === "verified",
  datacenter: (row) => row.hosting_type === 1,
  // The answer says "Region, CC" or ", US"; the filter takes the two letters.
  geolocation: (row) => String(row.geolocation).slice(-2),
  // 570.86.15 as 570086015, the number that the filter takes.
  driver_version: (row) => Number(String(row.driver_version).replace(/\.(\d+)/g, (_, part) => part.padStart(3, "0"))),
  ubuntu_version: (row) => row.os_version ?? null,
  dphtotal: (row) => row.dph_total ?? null,
  gpu_totalram: (row) => row.gpu_total_ram ?? null,
};

/** What a search is read by: `sample`, any row, tells the columns and their types. */
interface Terms {
  readonly dialect: Dialect;
  readonly sample: OfferRow;
}

function columnOf(field: string, sample: OfferRow): Reader {
  const virtual = Object.hasOwn(VIRTUAL, field) ? VIRTUAL[field] : undefined;
  if (virtual) return virtual;
  if (Object.hasOwn(sample, field)) return (row) => row[field] ?? null;
  throw invalidRequest(`${field} is not a valid search key`);
}

/** Reads the filters of a search, by their columns; throws the service's 400 for one that there is not. */
export function offerFilters(filters: Body, { dialect, sample }: Terms, ignored: readonly string[] = []): OfferTest {
  const tests = Object.entries(filters).map(([field, filter]): OfferTest => {
    const read = columnOf(field, sample);
    const operators = dialect === "seed" ? { operators: SEED_OPERATORS } : {};
    const test = readFilter(field, filter, { read, dialect, kind: typeof read(sample), ...operators });
    // `rented: {eq: true}` means "also those that I rent", not "only those".
    const isAlso = field === "rented" && String((filter as { eq?: unknown }).eq) === "true";
    return ignored.includes(field) || isAlso ? () => true : test;
  });
  return (row) => tests.every((test) => test(row));
}

/** Reads the order of a search, pairs of a column and its direction. */
export function offerOrder(order: unknown, { dialect, sample }: Terms): SortColumn<OfferRow>[] {
  if (!Array.isArray(order)) throw invalidRequest("order must be an array of pairs");
  return order.map((pair: unknown) => {
    const [field, direction] = Array.isArray(pair) ? pair : [];
    if (typeof field !== "string") throw invalidRequest("order must be an array of pairs");
    if (direction !== "desc" && !(direction === "asc" && dialect === "observed")) {
      throw invalidRequest(`${direction} is not a valid order`);
    }
    return { descending: direction === "desc", read: columnOf(field, sample) };
  });
}

/** The service never gave more rows than this, whatever the limit said. */
export const MOST_ROWS = 64;
/** SPEC-SILENT: GB in `dph_total` if the search doesn't say; the default disk of create. */
const DEFAULT_STORAGE = 8;

/** Control keys that the service takes and that change nothing here. */
const IGNORED =
  "disable_bundling target_reliability extra_ids template_id gpu_option sort_option show_incompatible".split(" ");

/** Applied by the service when the search says nothing about it. */
const OBSERVED_DEFAULTS = { verified: { eq: true }, rentable: { eq: true }, rented: { eq: false } };

/**
 * Reads a search's body by the dialect's rules; throws the 400 for what is not in them. `ignored`: filters
 * that a fault leaves unapplied; they are still checked.
 */
export function readSearchBody(body: Body, terms: Terms, ignored: readonly string[]) {
  const { dialect } = terms;
  const { type, limit = MOST_ROWS, order, allocated_storage, ...rest } = body;
  if (dialect === "seed" && allocated_storage !== undefined)
    throw invalidRequest("allocated_storage is not a valid search key");
  const own = Object.entries(rest).filter(([key]) => !IGNORED.includes(key));
  const filters = dialect === "observed" ? { ...OBSERVED_DEFAULTS, ...Object.fromEntries(own) } : rest;
  return {
    passes: offerFilters(filters, terms, ignored),
    isBid: readType(type),
    allocatedStorage: amount("allocated_storage", allocated_storage ?? DEFAULT_STORAGE, dialect),
    limit: Math.min(MOST_ROWS, amount("limit", limit, dialect)),
    // The console's order; the seed names no default.
    compare: compareRows(offerOrder(order ?? (dialect === "observed" ? [["score", "desc"]] : []), terms)),
  };
}

function readType(type: unknown): boolean {
  if (type === undefined || type === "on-demand" || type === "ondemand") return false;
  if (type === "bid") return true;
  if (type === "reserved") throw notSimulated("reserved offers");
  throw invalidRequest("type must be on-demand or bid");
}

function amount(key: string, value: unknown, dialect: Dialect): number {
  const number = dialect === "observed" && typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  if (typeof number === "number" && Number.isFinite(number) && number >= 0) return number;
  throw invalidRequest(`${key} must be a number`);
}
