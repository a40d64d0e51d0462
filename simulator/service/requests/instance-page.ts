import { z } from "zod";
import { invalidRequest, refusal } from "../traffic/refusal.ts";
import { cell, chosen, compareRows, type Row, readFilter, readToken, type Scalar, writeToken } from "./filters.ts";
import { readJson } from "./request-body.ts";

/** Only these can be searched and sorted by; the service computes the rest for each answer. */
const STORED = (
  "id label actual_status intended_status cur_state gpu_name verification " + "machine_id host_id image_uuid start_date"
).split(" ");

/** Taken when no limit is given, too. */
const MOST_ROWS = 25;
/** Taken for a limit of 0 or less. */
const FEW_ROWS = 5;

const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const Filters = z.record(z.string(), z.record(z.string(), z.union([scalar, z.array(scalar)])));
const Order = z.array(z.strictObject({ col: z.string(), dir: z.enum(["asc", "desc"]) }));
const Columns = z.array(z.string());

/** A page that is asked for, read and checked; `after`: the sort values of the last row of the page before. */
type PageQuery = ReturnType<typeof readPageQuery>;

/** Reads the query of the list in pages; throws the 400 for what can't be searched or read. */
export function readPageQuery(query: URLSearchParams) {
  const filters = Object.entries(readJson(query, "select_filters", Filters) ?? {});
  // Keyset pages need an order without ties, so the id always comes last.
  const order = [...(readJson(query, "order_by", Order) ?? []), { col: "id", dir: "asc" as const }];
  const unknown = [...filters.map(([name]) => name), ...order.map(({ col }) => col)].find(
    (name) => !STORED.includes(name),
  );
  if (unknown !== undefined) throw invalidRequest(`${unknown} is not a valid search key`);
  const tests = filters.map(([column, filter]) =>
    readFilter<Row>(column, filter, { read: (row) => cell(row, column), dialect: "observed" }),
  );
  return {
    show: chosen(readJson(query, "select_cols", Columns)),
    limit: readLimit(query.get("limit")),
    passes: (row: Row) => tests.every((test) => test(row)),
    order,
    after: readPlace(query.get("after_token"), order.length),
  };
}

/** Cuts one page out of all rows. */
export function pageOf(rows: readonly Row[], { passes, order, after, limit, show }: PageQuery) {
  const compare = compareRows<Row>(
    order.map(({ col, dir }) => ({ descending: dir === "desc", read: (row) => sortValue(row, col) })),
  );
  const matching = rows.filter(passes).toSorted(compare);
  const last = after && Object.fromEntries(order.map(({ col }, index) => [col, after[index]]));
  const rest = last ? matching.filter((row) => compare(row, last) > 0) : matching;
  const page = rest.slice(0, limit);
  const end = page.at(-1);
  return {
    success: true,
    instances_found: page.length,
    total_instances: matching.length,
    label_counts: countLabels(matching),
    next_token: end && rest.length > limit ? writeToken(order.map(({ col }) => sortValue(end, col))) : null,
    instances: page.map(show),
  };
}

/** The first page whatever was asked for, as if another one followed. */
export function repeatedPage(rows: readonly Row[], query: PageQuery) {
  const first = { ...query, after: undefined };
  // A token that stands before every row: who follows it finds the same rows again.
  const beforeAll = writeToken(query.order.map(({ col }) => (col === "id" ? 0 : "")));
  return { ...pageOf(rows, first), next_token: beforeAll };
}

/** Null sorts as an empty text: keyset pages need every row to have its place. */
function sortValue(row: Row, column: string): Scalar {
  return cell(row, column) ?? "";
}

function readLimit(given: string | null): number {
  const limit = given === null ? MOST_ROWS : Number(given);
  if (!Number.isInteger(limit)) throw invalidRequest("limit must be an integer");
  return limit <= 0 ? FEW_ROWS : Math.min(limit, MOST_ROWS);
}

function readPlace(token: string | null, length: number): Scalar[] | undefined {
  if (token === null || token === "") return undefined;
  const place = z.array(scalar).length(length).safeParse(readToken(token));
  if (place.success) return place.data;
  throw refusal(400, "invalid_token", "after_token can't be read");
}

function countLabels(rows: readonly Row[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { label } of rows) counts[String(label ?? "")] = (counts[String(label ?? "")] ?? 0) + 1;
  return counts;
}
