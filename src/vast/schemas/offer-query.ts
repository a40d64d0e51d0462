/** The operators that the service knows. The specification shows only eq, gte and in. */
export type FilterOperator = "eq" | "neq" | "gt" | "gte" | "lt" | "lte" | "in" | "notin";

/** `{<operator>: <value>}` for one field of an offer. */
export type FieldFilter = {
  readonly [operator in FilterOperator]?: string | number | boolean | readonly (string | number)[];
};

/** A search: filters by field, and the form of the answer. */
export interface OfferQuery {
  filters: Readonly<Record<string, FieldFilter>>;
  type: "on-demand" | "bid";
  order: readonly (readonly [field: string, direction: "asc" | "desc"])[];
  limit: number;
  /** Disk in GB in `dph_total`. Not in the specification; the service's own clients send it. */
  allocated_storage?: number;
}
