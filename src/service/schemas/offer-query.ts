/** The operators that the service knows. The specification shows only eq, gte and in. */
export type FilterOperator = "eq" | "neq" | "gt" | "gte" | "lt" | "lte" | "in" | "notin";

/** `{<operator>: <value>}` for one field of an offer. */
export type FieldFilter = {
  readonly [operator in FilterOperator]?: string | number | boolean | readonly (string | number)[];
};

/** What to search for: filters by field, and how to answer. */
export interface OfferQuery {
  filters: Readonly<Record<string, FieldFilter>>;
  type: "on-demand" | "bid";
  order: readonly (readonly [field: string, direction: "asc" | "desc"])[];
  limit: number;
  /**
   * Disk in GB that `dph_total` is to be priced for. Not in the specification; the service's own
   * clients send it.
   */
  allocated_storage?: number;
}
