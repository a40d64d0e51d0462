/** A value that a filter can compare. */
export type Scalar = string | number | boolean | null;

type Compare = (actual: Scalar, wanted: Scalar[]) => boolean;

/** Numbers by size, all else as text; null is not comparable. */
function order(actual: Scalar, wanted: Scalar | undefined): number {
  if (actual === null || wanted === null || wanted === undefined) return Number.NaN;
  if (typeof actual === "number" && typeof wanted === "number") return actual - wanted;
  return String(actual) < String(wanted) ? -1 : Number(String(actual) > String(wanted));
}

/** The operators of filters; `wanted` holds one value, or for in and notin any number. */
export const OPERATORS: Readonly<Record<string, Compare>> = {
  eq: (actual, wanted) => wanted[0] === actual,
  neq: (actual, wanted) => wanted[0] !== actual,
  gt: (actual, wanted) => order(actual, wanted[0]) > 0,
  gte: (actual, wanted) => order(actual, wanted[0]) >= 0,
  lt: (actual, wanted) => order(actual, wanted[0]) < 0,
  lte: (actual, wanted) => order(actual, wanted[0]) <= 0,
  in: (actual, wanted) => wanted.includes(actual),
  notin: (actual, wanted) => !wanted.includes(actual),
};

/** Sorts rows by columns; rows that are equal in all of them keep their order. */
export function compareRows<Row>(columns: readonly { descending: boolean; read: (row: Row) => Scalar }[]) {
  return (left: Row, right: Row): number => {
    for (const { descending, read } of columns) {
      const difference = order(read(left), read(right));
      if (difference) return descending ? -difference : difference;
    }
    return 0;
  };
}
