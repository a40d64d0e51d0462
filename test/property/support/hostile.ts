import fc from "fast-check";

/** Pieces that mean something to a shell, a runner, a page, a terminal, a parser, or to us. */
const PIECES: readonly string[] = [
  ..."'\"`\\$|&;<>(){}[]!#*?~%@:/-_+=,.\n\r\t\0\v\f ",
  "$(touch pwned)",
  "`touch pwned`",
  "'; touch pwned; '",
  '"; touch pwned; "',
  "$IFS$9",
  "\r\n",
  "::set-output name=x::y",
  "::error::x",
  "::stop-commands::x",
  "##[error]x",
  "##[",
  "::",
  "\n::add-mask::x\n",
  "\u0085::error::x",
  "\u2028::error::x",
  "\u00a0\u3000::error::x",
  "%0A::error::x",
  "\u001b[31m",
  "\u001b]0;title\u0007",
  "\u0007\u0008\u007f\u009b",
  "\u202E\u2066\u200B\u200D\uFEFF\u00AD",
  "\uD800",
  "\uDC00",
  "👩‍🚀",
  "é",
  "ﷺ",
  "[x](https://evil.example)",
  "<script>alert(1)</script>",
  "<!--",
  "| a | b |",
  "@octocat #1",
  "www.evil.example",
  "```",
  "NaN",
  "Infinity",
  "-1",
  "1e999",
  "9007199254740993",
  "__proto__",
  "constructor",
  "null",
  "../../etc/passwd",
  "$\u007b{ secrets.X }}",
  "ghr1.1.2-1.abcdef.1.1",
  "threshold=3",
  "session expired",
  "no_such_ask",
  "manifest unknown",
];

const piece = fc.constantFrom(...PIECES);
const repeated = fc.tuple(piece, fc.integer({ min: 2, max: 400 })).map(([text, times]) => text.repeat(times));

/** Text of somebody who means us ill, or whose program is broken: half a surrogate pair, too. */
export const hostileText: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      { arbitrary: piece, weight: 6 },
      { arbitrary: fc.string(), weight: 3 },
      { arbitrary: fc.string({ unit: "binary" }), weight: 2 },
      { arbitrary: repeated, weight: 1 },
    ),
    { maxLength: 6 },
  )
  .map((parts) => parts.join(""));

/** The same as a variable of a process can hold it: no NUL, whole characters. */
export const hostileVariable: fc.Arbitrary<string> = hostileText.map((text) =>
  text.toWellFormed().replaceAll("\0", ""),
);

/** Numbers that are none, too large, too small, not whole. */
export const hostileNumber: fc.Arbitrary<number> = fc.oneof(
  fc.constantFrom(0, -0, -1, 0.5, 1, 1e21, 2 ** 53, -(2 ** 31), Number.MAX_VALUE, Number.MIN_VALUE),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);

/** Statuses of an answer: the usual ones more often. */
export const httpStatus: fc.Arbitrary<number> = fc.constantFrom(
  ...[200, 200, 200, 200, 201, 301, 400, 401, 402, 403, 404, 408, 409, 410, 418, 422, 429, 500, 502, 503],
);

/** The same, or undefined. */
export const orNone = <T>(drawn: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(drawn, { nil: undefined });

/** Any value that JSON can hold; often with our own names for its keys. */
export function hostileJson(...names: string[]): fc.Arbitrary<unknown> {
  const leaf = fc.oneof(hostileText, hostileNumber, fc.constantFrom(null, true, false, "", [], {}));
  const nested = fc.array(leaf, { maxLength: 3 });
  const value = fc.oneof({ arbitrary: leaf, weight: 5 }, nested, fc.jsonValue({ maxDepth: 3 }));
  const record = fc.record(Object.fromEntries(names.map((name) => [name, value])), { requiredKeys: [] });
  return names.length === 0 ? value : fc.oneof({ arbitrary: record, weight: 6 }, value);
}

/** Of these a long text is slow to read for whoever looks again from each place in it. */
const LONG_ONES = [
  ...PIECES.filter((text) => text.length === 1),
  "\r\n",
  "##[",
  "\n::add-mask::x\n",
  "\u0085::x",
  "\u2028::x",
];

/** A megabyte of each, for what must not take for ever. */
export const MEGABYTES: readonly (readonly [name: string, text: string])[] = [
  ...LONG_ONES.filter((text) => !"!#*?~%@+=,(){}<>&;|é".includes(text)),
  "a",
  "a ",
  '\\"',
  "a-",
  ". ",
  "👩",
].map((text) => [JSON.stringify(text), text.repeat(Math.ceil(1_000_000 / text.length))] as const);
