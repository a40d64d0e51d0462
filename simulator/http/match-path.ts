/** The first row with a request's address, `METHOD /path/:parameter`, whose parameters fit, and these. */
export function findRow<Row extends { readonly at: string }>(
  rows: readonly Row[],
  asked: { method: string | undefined; path: string },
  fits: (row: Row, params: Record<string, string>) => boolean = () => true,
): { row: Row; params: Record<string, string> } | undefined {
  for (const row of rows) {
    const [method, pattern = ""] = row.at.split(" ");
    const params = method === asked.method ? matchPath(pattern, asked.path) : undefined;
    if (params && fits(row, params)) return { row, params };
  }
  return undefined;
}

/** Reads a path's parameters, segments with a colon in the pattern; undefined: no match. */
export function matchPath(pattern: string, path: string): Record<string, string> | undefined {
  const expected = pattern.split("/");
  const given = path.split("/");
  if (expected.length !== given.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, segment] of expected.entries()) {
    const value = decodeSegment(given[index] ?? "");
    if (segment.startsWith(":") && value !== "") params[segment.slice(1)] = value;
    else if (segment !== value) return undefined;
  }
  return params;
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
