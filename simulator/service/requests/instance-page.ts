import { z } from "zod";
import { invalidRequest, Refusal } from "../traffic/refusal.ts";
import { compareRows, OPERATORS, type Scalar } from "./comparison.ts";
import { readJson } from "./request-body.ts";

type Row = Readonly<Record<string, unknown>>;
type Test = (row: Row) => boolean;

/** Only these can be searched and sorted by; the service computes the rest for each answer. */
const STORED = [
  "id",
  "label",
  "actual_status",
  "intended_status",
  "cur_state",
  "gpu_name",
  "verification",
  "machine_id",
  "host_id",
  "image_uuid",
  "start_date",
];

/** Taken when no limit is given, too. */
const MOST_ROWS = 25;
/** Taken for a limit of 0 or less. */
const FEW_ROWS = 5;

const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const Filters = z.record(z.string(), z.record(z.string(), z.union([scalar, z.array(scalar)])));
const Order = z.array(z.strictObject({ col: z.string(), dir: z.enum(["asc", "desc"]) }));
const Columns = z.array(z.string());
const Token = z.array(scalar);

type Order = z.infer<typeof Order>;

/** A page that is asked for, read and checked. */
export interface PageQuery {
  readonly limit: number;
  readonly passes: Test;
  readonly order: Order;
  /** Undefined: all columns. */
  readonly columns: readonly string[] | undefined;
  /** The sort values of the last row of the page before. */
  readonly after: readonly Scalar[] | undefined;
}

/** Reads the query of the list in pages; throws the 400 for what can't be searched or read. */
export function readPageQuery(query: URLSearchParams): PageQuery {
  const filters = readJson(query, "select_filters", Filters) ?? {};
  const tests = Object.entries(filters).flatMap(([column, operators]) => readTests(column, operators));
  // Keyset pages need an order without ties, so the id always comes last.
  const order: Order = [...(readJson(query, "order_by", Order) ?? []), { col: "id", dir: "asc" }];
  for (const { col } of order) checkStored(col);
  const columns = readJson(query, "select_cols", Columns);
  return {
    limit: readLimit(query.get("limit")),
    passes: (row) => tests.every((test) => test(row)),
    order,
    columns: columns?.includes("*") ? undefined : columns,
    after: readToken(query.get("after_token"), order),
  };
}

/** Cuts one page out of all rows. */
export function pageOf(rows: readonly Row[], { passes, order, after, limit, columns }: PageQuery) {
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
    instances: columns ? page.map((row) => Object.fromEntries(columns.map((name) => [name, row[name] ?? null]))) : page,
  };
}

/** The first page whatever was asked for, as if another one followed. */
export function repeatedPage(rows: readonly Row[], query: PageQuery) {
  const first = { ...query, after: undefined };
  // A token that stands before every row: who follows it finds the same rows again.
  const beforeAll = writeToken(query.order.map(({ col }) => (col === "id" ? 0 : "")));
  return { ...pageOf(rows, first), next_token: beforeAll };
}

function readTests(column: string, operators: Readonly<Record<string, Scalar | Scalar[]>>): Test[] {
  checkStored(column);
  return Object.entries(operators).map(([operator, value]) => {
    const compare = Object.hasOwn(OPERATORS, operator) ? OPERATORS[operator] : undefined;
    if (!compare) throw invalidRequest(`${operator} is not a valid search op`);
    return (row) => compare(cell(row, column), [value].flat());
  });
}

function checkStored(column: string): void {
  if (!STORED.includes(column)) throw invalidRequest(`${column} is not a valid search key`);
}

function cell(row: Row, column: string): Scalar {
  return scalar.parse(row[column] ?? null);
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

function writeToken(values: readonly Scalar[]): string {
  return Buffer.from(JSON.stringify(values)).toString("base64url");
}

function readToken(token: string | null, order: Order): Scalar[] | undefined {
  if (token === null || token === "") return undefined;
  try {
    const values = Token.length(order.length).parse(JSON.parse(Buffer.from(token, "base64url").toString()));
    return values;
  } catch {
    throw new Refusal(400, { error: "invalid_token", msg: "after_token can't be read" });
  }
}

function countLabels(rows: readonly Row[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { label } of rows) {
    const name = String(label ?? "");
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}
