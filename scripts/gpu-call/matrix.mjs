/** GitHub's limit of jobs in one matrix. */
export const MOST_JOBS = 256;

/**
 * The combinations of a matrix by GitHub's rules: the product of its lists, without `exclude`, with
 * `include`. @param {Record<string, unknown>} matrix @returns {Record<string, unknown>[]}
 */
export function combinationsOf({ include = [], exclude = [], ...lists }) {
  const product = Object.entries(lists).reduce(
    (rows, [name, values]) => rows.flatMap((row) => values.map((value) => ({ ...row, [name]: value }))),
    [{}],
  );
  const named = Object.keys(lists).length === 0 ? [] : product;
  const kept = named.filter((row) => !exclude.some((out) => agrees(out, row, Object.keys(out))));
  return included(kept, include, Object.keys(lists));
}

/** An entry joins each row whose own values it leaves alone; else it is a row of its own. */
function included(rows, include, names) {
  const joined = rows.map((row) => ({ row, more: {} }));
  const alone = [];
  for (const entry of include) {
    const fits = joined.filter(({ row }) =>
      agrees(
        entry,
        row,
        names.filter((name) => name in entry),
      ),
    );
    for (const each of fits) Object.assign(each.more, entry);
    if (fits.length === 0) alone.push(entry);
  }
  return [...joined.map(({ row, more }) => ({ ...row, ...more })), ...alone];
}

function agrees(some, row, names) {
  return names.every((name) => JSON.stringify(some[name]) === JSON.stringify(row[name]));
}

/**
 * The matrix as it is written, or a sentence on what is wrong with it.
 * @param {string} text
 * @returns {{ rows: Record<string, unknown>[] } | { wrong: string }}
 */
export function readMatrix(text) {
  if (text.trim() === "") return { rows: [{}] };
  let matrix;
  try {
    matrix = JSON.parse(text);
  } catch (error) {
    return { wrong: `matrix is no JSON (${error.message}). It looks like {"python": ["3.11", "3.12"]}.` };
  }
  const wrong = wrongShape(matrix);
  if (wrong) return { wrong };
  if (sizeOf(matrix) > MOST_JOBS * MOST_JOBS)
    return { wrong: `matrix has far more combinations than the ${MOST_JOBS} that GitHub allows.` };
  const rows = combinationsOf(matrix);
  if (rows.length === 0) return { wrong: "matrix has no combination, so that no GPU job would run." };
  if (rows.length > MOST_JOBS)
    return { wrong: `matrix has ${rows.length} combinations; GitHub allows ${MOST_JOBS} jobs in one matrix.` };
  return { rows };
}

function wrongShape(matrix) {
  if (!isRecord(matrix)) return 'matrix must be an object of lists, such as {"python": ["3.11", "3.12"]}.';
  const { include = [], exclude = [], ...lists } = matrix;
  const notLists = Object.entries(lists).filter(([, values]) => !Array.isArray(values) || values.length === 0);
  if (notLists.length > 0) return `matrix: ${notLists[0][0]} must be a list with at least one value.`;
  const entries = [include, exclude];
  if (!entries.every((list) => Array.isArray(list) && list.every(isRecord)))
    return "matrix: include and exclude must be lists of objects.";
  const names = [...Object.keys(lists), ...include.flatMap(Object.keys)];
  const bad = names.find((name) => !/^[A-Za-z_][A-Za-z0-9_-]*$/.test(name));
  return bad === undefined ? undefined : `matrix: ${JSON.stringify(bad)} can't be the name of a variable.`;
}

function sizeOf({ include: _include, exclude: _exclude, ...lists }) {
  return Object.values(lists).reduce((size, values) => size * values.length, 1);
}

function isRecord(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
